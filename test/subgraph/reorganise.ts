import type { Call } from '@remit/devchain/testing/chain/block'
import { createRpc } from '@remit/engine/rpc/rpc'
import { numberToHex } from 'viem'
import * as z from 'zod'
import type { TestChain } from '../support/chain/useTestChain.ts'

/**
 * Takes the newest blocks of an anvil away and puts as many others in their place.
 * @param calls what the new blocks hold, each with its block, counted from 0; by default they are empty
 */
export async function reorganise(
  chain: TestChain,
  depth: number,
  calls: readonly { readonly call: Call; readonly block: number }[] = [],
): Promise<void> {
  const { chainId, url } = chain
  const rpc = createRpc({ chainId, urls: [url], log: { info() {}, warn() {}, error() {} } })
  const pairs = calls.map(({ call: { from, to, data, gas = 800_000n }, block }) => [
    { from, to, data, gas: numberToHex(gas) },
    block,
  ])
  await rpc.request('anvil_reorg', [depth, pairs], z.unknown())
}
