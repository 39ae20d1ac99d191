import { type Address, getAddress, type Hex } from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { afterAll, afterEach } from 'vitest'
import { startAnvil, TEST_MNEMONIC } from '../../../devnet/anvil.ts'
import { MAX_TRANSACTION_GAS, mineBlock } from '../../../devnet/block.ts'
import { createDevClient, type DevClient } from '../../../devnet/client.ts'
import { type Deployment, deployProtocol, type ProtocolTerms } from '../../../devnet/deploy.ts'

export interface TestChainOptions {
  /** Unix time of the block with the contract; a Monday at noon where it is left out. */
  readonly timestamp?: number
  readonly chainId?: number
  readonly gasLimit?: bigint
  /** Whether no transaction may ask for more than 2^24 gas. */
  readonly capsTransactions?: boolean
  readonly terms?: Partial<ProtocolTerms>
  /** Whether tests go on from what those before them did: anvil cannot revert what `anvil_reorg` has touched. */
  readonly goesOn?: boolean
}

/** Monday 2 March 2026, noon UTC: day 2 of its month, 61 of its quarter and of its year. */
export const MONDAY_NOON = Date.UTC(2026, 2, 2, 12) / 1000

/** The mnemonic's accounts by what they are in most tests. Any of them may be anything else. */
export interface Wallets {
  readonly admin: Address
  readonly provider: Address
  readonly otherProvider: Address
  readonly alice: Address
  readonly bob: Address
  readonly carol: Address
  readonly dave: Address
  readonly stranger: Address
  readonly keeper: Address
  readonly janitor: Address
}

export interface TestChain extends Deployment {
  readonly url: string
  readonly chainId: number
  readonly client: DevClient
  readonly wallets: Wallets
  /** The latest block's unix time. */
  now(): Promise<number>
  /** Turns the clock to this unix time, with one block. */
  advanceTo(timestamp: number): Promise<void>
  /** Turns the clock to noon of the day that is so many days after the present one. */
  advanceDays(days: number): Promise<void>
  /** Deploys a contract of `contracts/generated` from the admin. */
  deploy(data: Hex): Promise<Address>
  /** Makes the present state the one that every later test starts from. */
  keep(): Promise<void>
}

/**
 * An anvil of this test file's own with the protocol on it: `const chain = await useTestChain()` at the top.
 *
 * After each test it is reverted to the state it had, or to the last `keep()`; at the end of the file it ends.
 */
export async function useTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { timestamp = MONDAY_NOON, chainId, gasLimit, terms = {}, goesOn = false } = options
  const { capsTransactions = false } = options
  const anvil = await startAnvil({
    timestamp: timestamp - 60,
    capsTransactions,
    ...(chainId !== undefined && { chainId }),
    ...(gasLimit !== undefined && { gasLimit }),
  })
  afterAll(() => anvil.stop())
  const client = createDevClient(anvil.url)
  const wallets = nameWallets(await client.getAddresses())
  const { admin, janitor } = wallets
  const deployment = await deployProtocol(client, { admin, janitor, terms, timestamp })

  let base = await client.snapshot()
  afterEach(async () => {
    if (goesOn) return
    await client.revert({ id: base })
    // A revert uses its snapshot up.
    base = await client.snapshot()
  })

  const now = async () => Number((await client.getBlock()).timestamp)
  const advanceTo = async (to: number) => {
    await mineBlock(client, [], to)
  }
  return {
    ...deployment,
    url: anvil.url,
    chainId: anvil.chainId,
    client,
    wallets,
    now,
    advanceTo,
    async advanceDays(days) {
      const today = Math.floor((await now()) / 86_400)
      await advanceTo((today + days) * 86_400 + 43_200)
    },
    async deploy(data) {
      const [receipt] = await mineBlock(client, [
        { from: admin, data, gas: MAX_TRANSACTION_GAS, label: 'a deployment' },
      ])
      if (!receipt?.contractAddress) throw new Error('The deployment has no address')
      // Checksummed, as decoded addresses are, so that the two compare as equal.
      return getAddress(receipt.contractAddress)
    },
    async keep() {
      base = await client.snapshot()
    },
  }
}

/** The key behind one of the chain's wallets, for tests that sign by themselves. 0 is the admin. */
export function signerOf(index: number): HDAccount {
  return mnemonicToAccount(TEST_MNEMONIC, { addressIndex: index })
}

function nameWallets(addresses: readonly Address[]): Wallets {
  const at = (index: number) => {
    const address = addresses[index]
    if (address === undefined) throw new Error(`anvil has no account ${index}`)
    return address
  }
  return {
    admin: at(0),
    provider: at(1),
    otherProvider: at(2),
    alice: at(3),
    bob: at(4),
    carol: at(5),
    dave: at(6),
    stranger: at(7),
    keeper: at(9),
    janitor: at(10),
  }
}
