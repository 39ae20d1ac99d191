import type { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { BlockHeader } from './blockHeader.ts'

/**
 * The newest block that cannot be replaced any more, as far as is known.
 * @param newest a block that is known to exist
 * @param named what `readNamedFinal` answered
 * @param finalityDepth the chain's: a block is final with so many blocks on top of it, where no node names a final one
 */
export function newestFinal(newest: number, named: number | null | undefined, finalityDepth: number): number {
  return Math.max(0, named ?? newest - finalityDepth)
}

/**
 * The number of the block that a node names final; `null` if it does not know the tag, or if nothing is final yet.
 * @param limits of the node that is asked, where it is known which one that is
 */
export async function readNamedFinal(
  { request }: Pick<Rpc, 'request'>,
  options: Parameters<Rpc['request']>[3] & { readonly limits?: NodeLimits } = {},
): Promise<number | null> {
  const { limits, ...asking } = options
  if (limits?.can('finalized') === false) return null
  try {
    const header = await request('eth_getBlockByNumber', ['finalized', false], BlockHeader.nullable(), asking)
    if (header !== null) limits?.found('finalized', true)
    return header?.number ?? null
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal === undefined) throw error
    // geth answers so while nothing is final yet.
    if (!/not found/i.test(refusal.error.message)) limits?.found('finalized', false)
    return null
  }
}
