import { describe, it } from 'vitest'
import { type TestChain, type TestChainOptions, useTestChain } from '../chain/useTestChain.ts'
import type { GethChain } from './GethChain.ts'
import { findGeth } from './startGeth.ts'

/** Found once for each worker. Where CI is set and geth is missing, that fails the files that want it and no others. */
const gethIsInstalled = findGeth() !== undefined

/**
 * A suite over a real geth with the protocol on it.
 *
 * Where geth is not installed, one test is left out in its place.
 */
export function describeGeth(
  what: string,
  suite: (chain: TestChain, geth: GethChain) => void | Promise<void>,
  options: TestChainOptions = {},
): void {
  if (!gethIsInstalled) {
    it.skipIf(!gethIsInstalled)(what, () => {})
    return
  }
  describe(what, async () => {
    const chain = await useTestChain({ ...options, geth: options.geth ?? {} })
    if (chain.geth === undefined) throw new Error('The chain is no geth')
    await suite(chain, chain.geth)
  })
}
