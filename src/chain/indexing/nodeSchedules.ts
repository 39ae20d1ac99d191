import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { ISubscriptions } from '../../../contracts/generated/ISubscriptions.ts'
import type { BlockRef } from '../../core/ports/history.ts'
import { type Frequency, parseFrequency } from '../../protocol/subscription.ts'
import { callAt } from '../block/nodeCalls.ts'
import { type OneNode, UnknownBlockError } from '../rpc/rpc.ts'

const { abi } = ISubscriptions

/** How many are read at once: they and a header share one HTTP request. */
export const MOST_SCHEDULES = 38

type Schedules = Map<Hex, { frequency: Frequency; dueDay: number }>

/**
 * What the log of a creation leaves out, read by one node at a block. Ids that do not exist there are left out.
 *
 * Throws UnknownBlockError where the node has not got the block's state.
 * @param ids MOST_SCHEDULES at the most
 */
export async function readSchedules(
  one: OneNode,
  contract: Address,
  ids: readonly Hex[],
  at: BlockRef,
): Promise<Schedules> {
  const questions = ids.map((id) => encodeFunctionData({ abi, functionName: 'idSubMap', args: [id] }))
  const found: Schedules = new Map()
  for (const [index, data] of (await callAt(one, contract, questions, at)).entries()) {
    const { id, ...schedule } = decodeSchedule(data)
    // A subscription that does not exist reads as zeros.
    if (id === ids[index]) found.set(id, schedule)
  }
  return found
}

function decodeSchedule(data: Hex): { id: Hex; frequency: Frequency; dueDay: number } {
  try {
    const [id, , , , , frequency, dueDay] = decodeFunctionResult({ abi, functionName: 'idSubMap', data })
    return { id, frequency: parseFrequency(frequency), dueDay }
  } catch {
    // Nothing at all, mostly: a state without the contract, which a node has while it is reorganised.
    throw new UnknownBlockError({ code: -32001, message: 'the contract does not answer at that block' })
  }
}
