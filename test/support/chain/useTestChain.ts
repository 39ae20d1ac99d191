import { MAX_TRANSACTION_GAS, mineBlock } from '@remit/devchain/testing/chain/block'
import type { DevClient } from '@remit/devchain/testing/chain/client'
import type { Deployment } from '@remit/devchain/testing/chain/deploy'
import { type Address, getAddress, type Hex } from 'viem'
import { afterAll, afterEach } from 'vitest'
import type { GethChain } from '../geth/GethChain.ts'
import { revertTo } from './revertTo.ts'
import { type DeployedChainOptions, takeDeployedChain } from './takeDeployedChain.ts'
import type { Wallets } from './Wallets.ts'

export { signerOf } from '../wallets/signerOf.ts'

export interface TestChainOptions extends DeployedChainOptions {
  /** Whether tests go on from what those before them did: anvil cannot revert what `anvil_reorg` has touched. */
  readonly goesOn?: boolean
  /** Whether `anvil_reorg` replaces blocks of it: no other file has such a chain before or after. */
  readonly reorganises?: boolean
}

/** Monday 2 March 2026, noon UTC: day 2 of its month, 61 of its quarter and of its year. */
export const MONDAY_NOON = Date.UTC(2026, 2, 2, 12) / 1000

export interface TestChain extends Deployment {
  readonly url: string
  readonly chainId: number
  readonly client: DevClient
  readonly wallets: Wallets
  /** The node behind `url`, where it is a geth: it makes blocks of any time, branches, and final blocks. */
  readonly geth: GethChain | undefined
  /** The latest block's unix time. */
  now(): Promise<number>
  /** Turns the clock to this unix time, with one block. */
  advanceTo(timestamp: number): Promise<void>
  /** Turns the clock to noon of the day that is so many days after the present one. */
  advanceDays(days: number): Promise<void>
  /** Deploys a contract of `packages/contracts/generated` from the admin. */
  deploy(data: Hex): Promise<Address>
  /** Makes the present state the one that every later test starts from. */
  keep(): Promise<void>
}

/**
 * A node for this test file with the protocol on it: `const chain = await useTestChain()` at the top.
 *
 * After each test it is reverted to the state it had, or to the last `keep()`. At the end of the file it goes back to
 * where it began, and the worker's next file with the same options takes it over.
 */
export async function useTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { goesOn = false, reorganises = goesOn, ...others } = options
  const deployed = await takeDeployedChain({ timestamp: MONDAY_NOON, ...others, isNew: reorganises })
  afterAll(() => (reorganises ? deployed.stop() : deployed.giveBack()))
  const { client, deployment, wallets, chainId, url, geth } = deployed

  let base = await client.snapshot()
  afterEach(async () => {
    if (goesOn) return
    await revertTo(client, base)
    // A revert uses its snapshot up.
    base = await client.snapshot()
  })

  const now = async () => Number((await client.getBlock()).timestamp)
  const advanceTo = async (to: number) => {
    await mineBlock(client, [], to)
  }
  return {
    ...deployment,
    url,
    chainId,
    client,
    wallets,
    geth,
    now,
    advanceTo,
    async advanceDays(days) {
      const today = Math.floor((await now()) / 86_400)
      await advanceTo((today + days) * 86_400 + 43_200)
    },
    async deploy(data) {
      const [receipt] = await mineBlock(client, [
        { from: wallets.admin, data, gas: MAX_TRANSACTION_GAS, label: 'a deployment' },
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
