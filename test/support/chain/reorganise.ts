import type { DevClient } from '@remit/devchain/testing/chain/client'
import { type Hex, numberToHex } from 'viem'

/** A transaction of the new branch, and in which of its blocks, from 0. */
type Included = readonly [transaction: { from: Hex; to?: Hex; data: Hex; gas: Hex }, block: number]

/** Replaces the newest `depth` blocks by as many others, with these transactions and no others. */
export async function reorganise(
  client: DevClient,
  depth: number,
  included: readonly Included[],
): Promise<void> {
  await client.request<{ Method: string; Parameters: unknown[]; ReturnType: null }>({
    method: 'anvil_reorg',
    params: [depth, included],
  })
}

/** About every second transaction of the newest `depth` blocks, a block later than it was where there is one. */
export async function mineAgain(client: DevClient, depth: number): Promise<Included[]> {
  const head = await client.getBlockNumber()
  const included: Included[] = []
  for (let index = 0; index < depth; index += 1) {
    const blockNumber = head - BigInt(depth - 1 - index)
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
    for (const [position, { from, to, input, gas }] of transactions.entries()) {
      if (position % 2 === 1) continue
      const transaction = { from, ...(to === null ? {} : { to }), data: input, gas: numberToHex(gas) }
      included.push([transaction, Math.min(index + 1, depth - 1)])
    }
  }
  return included
}
