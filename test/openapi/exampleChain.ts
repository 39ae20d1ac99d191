import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '@remit/devchain/testing/chain/anvil'
import { type Call, callOf, MAX_TRANSACTION_GAS, mineBlock } from '@remit/devchain/testing/chain/block'
import { dayOf, SECONDS_PER_DAY } from '@remit/devchain/testing/chain/calendar'
import { createDevClient, type DevClient } from '@remit/devchain/testing/chain/client'
import { type Deployment, deployProtocol } from '@remit/devchain/testing/chain/deploy'
import { openSocket } from '@remit/devchain/testing/chain/socket'
import { type Cast, castWallets, type Wallets } from '@remit/devchain/testing/story/cast'
import { seedPast } from '@remit/devchain/testing/story/seed'
import { FIRST_DAY } from '@remit/devchain/testing/story/story'
import type { Address, Hex } from 'viem'
import { signedPermit, signedTopUp } from '../support/wallets/signedPermit.ts'
import { signerOf } from '../support/wallets/signerOf.ts'

/** Monday 2 March 2026, noon UTC: up to here the dev chain's past is told, and every day before it remitted. */
const TOLD_UNTIL = Date.UTC(2026, 2, 2, 12) / 1000

/** Nobody has called remit for a week: there is a backlog. */
const NOW = Date.UTC(2026, 2, 10, 12) / 1000

/**
 * The clock on the wall of who asks, in milliseconds. It stands still, more than an hour after the last block: then the
 * chain's clock stands still as well, and every proof is of the same second.
 */
export const exampleWall = (): number => (NOW + 6 * 3_600) * 1_000

/** Their numbers among the accounts of the mnemonic. */
const ADA = 4
const BEN = 5

const NINE_O_CLOCK = 9 * 3_600

/** The dev chain at a fixed time: the same blocks, hashes and ids each time that it is started. */
export interface ExampleChain extends Deployment {
  readonly url: string
  readonly chainId: number
  readonly client: DevClient
  readonly wallets: Wallets
  readonly cast: Cast
  /** A transaction that subscribed somebody, and paid. */
  readonly subscribing: Hex
  /** The index of its first log in its block. */
  readonly subscribingLog: number
  /** What ben has signed for somebody to carry. */
  readonly permit: Awaited<ReturnType<typeof signedPermit>>
  /** What ada has signed for him, for somebody to carry. */
  readonly topUp: Awaited<ReturnType<typeof signedTopUp>>
  /** A block with these calls, a second after the last one. */
  mine(...calls: readonly Call[]): Promise<void>
  /** Calls remit until nothing is due. */
  workOffBacklog(): Promise<void>
  stop(): Promise<void>
}

/** The chain that examples are recorded from. It ends with the process, however that ends. */
export async function startExampleChain(): Promise<ExampleChain> {
  const deployedAt = (dayOf(TOLD_UNTIL) + FIRST_DAY - 1) * SECONDS_PER_DAY + NINE_O_CLOCK
  const anvil = await startAnvil({
    chainId: DEV_CHAIN_ID,
    timestamp: deployedAt - 3_600,
    gasLimit: 60_000_000n,
    accounts: 13,
  })
  try {
    return await tellPast(anvil, deployedAt)
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function tellPast(anvil: Anvil, deployedAt: number): Promise<ExampleChain> {
  const { url, chainId } = anvil
  const socket = openSocket(url)
  const client = createDevClient(url, socket.transport)
  const wallets = castWallets(await client.getAddresses())
  const { admin, janitor, keeper } = wallets
  const deployment = await deployProtocol(client, { admin, janitor, timestamp: deployedAt })
  const cast = await seedPast(client, deployment, wallets, TOLD_UNTIL)
  await mineBlock(client, [], NOW)

  const { contract } = deployment
  const target = { address: contract, abi: ISubscriptions.abi }
  const subscribed = await subscribingOf(client, contract, cast.coffeeWeekly.id, wallets.ben)
  const permit = await signedPermit(
    { client, chainId, contract },
    { token: deployment.tokens.usdc, signer: signerOf(BEN), value: 2_000_000_000n },
  )
  const topUp = await signedTopUp(
    { client, chainId, contract },
    { token: deployment.tokens.usdc, signer: signerOf(ADA), account: wallets.ben, value: 25_000_000n },
  )
  let time = NOW
  const mine = async (...calls: readonly Call[]) => {
    time += 1
    await mineBlock(client, calls, time)
  }
  return {
    ...deployment,
    url,
    chainId,
    client,
    wallets,
    cast,
    subscribing: subscribed.transactionHash,
    subscribingLog: subscribed.logIndex,
    permit,
    topUp,
    mine,
    async workOffBacklog() {
      const remit = callOf(keeper, target, 'remit', [], MAX_TRANSACTION_GAS)
      while (await succeeds(client, remit)) await mine(remit)
    },
    async stop() {
      await socket.close()
      await anvil.stop()
    },
  }
}

async function succeeds(client: DevClient, { from, to, data, gas }: Call): Promise<boolean> {
  const call = { account: from, data, ...(to && { to }), ...(gas && { gas }) }
  return client.call(call).then(
    () => true,
    () => false,
  )
}

/** The log by which the subscriber came to the subscription. */
async function subscribingOf(
  client: DevClient,
  contract: Address,
  id: Hex,
  subscriber: Address,
): Promise<{ readonly transactionHash: Hex; readonly logIndex: number }> {
  const [log] = await client.getContractEvents({
    address: contract,
    abi: ISubscriptions.abi,
    eventName: 'SubLog',
    args: { id, subscriber },
    fromBlock: 0n,
  })
  if (log === undefined) throw new Error(`${subscriber} never came to ${id}`)
  return log
}
