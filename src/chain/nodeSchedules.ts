import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { ISubscriptions } from '../../contracts/generated/ISubscriptions.ts'
import type { BlockRef } from '../core/history.ts'
import { type Frequency, parseFrequency } from '../protocol/subscription.ts'
import { headerNumbered } from './nodeAnswers.ts'
import { NodeBytes } from './quantity.ts'
import { type OneNode, RpcResponseError, UnknownBlockError } from './rpc.ts'

const { abi } = ISubscriptions

/** Reads that share one HTTP request. */
const BATCH = 38

/**
 * What the log of a creation leaves out, read by one node at a block. Ids that do not exist there are left out.
 *
 * Throws UnknownBlockError where the node has not got the block's state.
 */
export async function readSchedules(
  one: OneNode,
  contract: Address,
  ids: readonly Hex[],
  at: BlockRef,
): Promise<Map<Hex, { frequency: Frequency; dueDay: number }>> {
  const found = new Map<Hex, { frequency: Frequency; dueDay: number }>()
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH)
    const rows = await callBatch(one, contract, batch, at)
    for (const [index, data] of rows.entries()) {
      const asked = batch[index]
      const [id, , , , , frequency, dueDay] = decodeFunctionResult({ abi, functionName: 'idSubMap', data })
      // A subscription that does not exist reads as zeros.
      if (asked !== undefined && id === asked) found.set(id, { frequency: parseFrequency(frequency), dueDay })
    }
  }
  return found
}

async function callBatch(one: OneNode, contract: Address, ids: readonly Hex[], at: BlockRef): Promise<Hex[]> {
  const callAll = (block: unknown) =>
    Promise.all(
      ids.map((id) => {
        const data = encodeFunctionData({ abi, functionName: 'idSubMap', args: [id] })
        return one.request('eth_call', [{ to: contract, data }, block], NodeBytes)
      }),
    )
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
