import { DEV_CHAIN_ID } from '@remit/devchain/testing/chain/anvil'
import { describe, it } from 'vitest'
import type { NodeOptions, OtherNode } from '../chain/takeDeployedChain.ts'
import { type TestChain, type TestChainOptions, useTestChain } from '../chain/useTestChain.ts'
import { startAnvilFront } from './anvilFront.ts'
import { GethActs } from './GethActs.ts'
import { GethChain } from './GethChain.ts'
import { findGeth, type GethLimits } from './startGeth.ts'

/** Found once for each worker. Where CI is set and geth is missing, that fails the files that want it and no others. */
const gethIsInstalled = findGeth() !== undefined

/** The gas of a block on Ethereum and on its testnets at Osaka. */
const BLOCK_GAS = 60_000_000n

/**
 * A suite over a real geth, by Osaka's rules, with the protocol on it.
 *
 * Where geth is not installed, one test is left out in its place.
 * @param options.geth the limits that its operator sets
 */
export function describeGeth(
  what: string,
  suite: (chain: TestChain, geth: GethChain) => void | Promise<void>,
  { geth: limits = {}, ...options }: Omit<TestChainOptions, 'node'> & { readonly geth?: GethLimits } = {},
): void {
  if (!gethIsInstalled) {
    it.skipIf(!gethIsInstalled)(what, () => {})
    return
  }
  describe(what, async () => {
    const chain = await useTestChain({ ...options, node: gethNode(limits) })
    if (chain.geth === undefined) throw new Error('The chain is no geth')
    await suite(chain, chain.geth)
  })
}

function gethNode(limits: GethLimits): OtherNode {
  return {
    key: JSON.stringify(limits),
    async start({ timestamp, chainId = DEV_CHAIN_ID, gasLimit = BLOCK_GAS }: NodeOptions) {
      const geth = await GethChain.start({ timestamp, chainId, gasLimit: Number(gasLimit), limits })
      const front = await startAnvilFront(geth, new GethActs(geth, chainId))
      const stop = async () => {
        await front.close()
        await geth.stop()
      }
      return { url: front.url, chainId, geth, stop }
    },
  }
}
