import { type Address, type Hex, numberToHex } from 'viem'
import type { BlockRef } from '../../core/ports/history.ts'
import { headerNumbered } from '../indexing/nodeAnswers.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import { type OneNode, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'

/**
 * What the contract answers at this very block and no other, in one HTTP request, or two where the node takes
 * blocks by their numbers only.
 *
 * Throws UnknownBlockError where the node has not got the block's state.
 */
export async function callAt(
  one: OneNode,
  contract: Address,
  questions: readonly Hex[],
  at: BlockRef,
): Promise<readonly Hex[]> {
  const callAll = (block: unknown) =>
    Promise.all(questions.map((data) => one.request('eth_call', [{ to: contract, data }, block], NodeBytes)))
  try {
    return await callAll({ blockHash: at.hash })
  } catch (error) {
    const isRefusal = error instanceof RpcResponseError && !(error instanceof UnknownBlockError)
    if (!isRefusal) throw error
  }
  // Some nodes take only numbers; the header in the same HTTP request tells whose the number is.
  const number = numberToHex(at.number)
  const [answers, header] = await Promise.all([
    callAll(number),
    one.request('eth_getBlockByNumber', [number, false], headerNumbered(at.number)),
  ])
  if (header?.hash !== at.hash) {
    throw new UnknownBlockError({ code: -32001, message: 'the node read at another block' })
  }
  return answers
}
