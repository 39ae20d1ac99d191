import type { Address } from 'viem'
import { DEV_CHAIN_ID, startAnvil, TEST_MNEMONIC } from './chain/anvil.ts'
import { startBlockTimer } from './chain/blockTimer.ts'
import { dayOf, SECONDS_PER_DAY } from './chain/calendar.ts'
import { createDevClient } from './chain/client.ts'
import { deployProtocol } from './chain/deploy.ts'
import { openSocket } from './chain/socket.ts'
import { openDoor } from './door/openDoor.ts'
import { type Cast, castWallets, type Wallets } from './story/cast.ts'
import { seedPast } from './story/seed.ts'
import { FIRST_DAY } from './story/story.ts'

export interface DevnetOptions {
  /** 0 (the default) lets the system pick a free one. */
  readonly port?: number
  /** The unix time at which the seeded history ends; by default the wall clock's. */
  readonly now?: number
}

/** A running dev chain, with all that a service must know about it. */
export interface Devnet {
  /** The door to the chain, which refuses foreign pages and what only a chain's owner may ask. */
  readonly url: string
  readonly port: number
  readonly chainId: number
  readonly contractAddress: Address
  /** The block in which the contract was deployed. */
  readonly firstBlock: number
  readonly tokens: { readonly usdc: Address; readonly dai: Address }
  readonly wallets: Wallets & { readonly mnemonic: string; readonly addresses: readonly Address[] }
  /** The subscriptions of the seeded history, by name. */
  readonly cast: Cast
  /** The folder that anvil uses on disk. It is deleted when anvil ends. */
  readonly cachePath: string
  /** Resolves when the chain has ended: with `undefined` after stop(), otherwise with the reason. */
  readonly exited: Promise<Error | undefined>
  stop(): Promise<void>
}

/** When the protocol is deployed, on the day before the story begins: seconds of the UTC day. */
const NINE_O_CLOCK = 9 * 3_600

/**
 * Starts a dev chain with the protocol, its tokens and a seeded history. Its clock is at `now`.
 *
 * The addresses are always the same. The chain ends with this process, even if that is killed.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { port = 0, now = Math.floor(Date.now() / 1000) } = options
  const deployedAt = (dayOf(now) + FIRST_DAY - 1) * SECONDS_PER_DAY + NINE_O_CLOCK
  const anvil = await startAnvil({
    isHidden: true,
    chainId: DEV_CHAIN_ID,
    // The genesis block is an hour older than the deployment.
    timestamp: deployedAt - 3_600,
    accounts: 13,
    gasLimit: 60_000_000n,
  })
  const door = await openDoor(anvil.url, port).catch(async (error: unknown) => {
    await anvil.stop()
    throw error
  })
  const stop = async () => {
    await door.close()
    await anvil.stop()
  }
  const socket = openSocket(anvil.url)
  try {
    const client = createDevClient(anvil.url, socket.transport)
    const addresses = await client.getAddresses()
    const wallets = castWallets(addresses)
    const { admin, janitor } = wallets
    const deployment = await deployProtocol(client, { admin, janitor, timestamp: deployedAt })
    const cast = await seedPast(client, deployment, wallets, now)
    const blockTimer = startBlockTimer(createDevClient(anvil.url))
    const { contract, tokens, firstBlock } = deployment
    const { chainId, cachePath, exited } = anvil
    exited.then(blockTimer.stop)
    return {
      url: door.url,
      port: door.port,
      chainId,
      contractAddress: contract,
      firstBlock,
      tokens,
      wallets: { ...wallets, mnemonic: TEST_MNEMONIC, addresses },
      cast,
      cachePath,
      exited,
      async stop() {
        blockTimer.stop()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  } finally {
    await socket.close()
  }
}
