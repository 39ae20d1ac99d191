import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { type Frequency, parseFrequency } from '@remit/protocol/subscription'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { UnknownBlockError } from '../rpc/refusal.ts'

const { abi } = ISubscriptions

/** How many are read at once, so that they and a header share one HTTP request. */
export const MOST_SCHEDULES = 38

type Schedules = Map<Hex, { frequency: Frequency; dueDay: number }>

/**
 * Frequency and due day, which the log of a creation does not hold, read at a block. Ids that do not exist there are
 * left out.
 *
 * Throws UnknownBlockError where nodes do not have the block's state, RpcResponseError where they refuse.
 * @param ids MOST_SCHEDULES at the most
 */
export async function readSchedules(
  blocks: BlockReader,
  contract: Address,
  ids: readonly Hex[],
  at: AtBlock,
): Promise<Schedules> {
  const answers = await Promise.all(
    ids.map((id) =>
      blocks.call(at, {
        to: contract,
        data: encodeFunctionData({ abi, functionName: 'idSubMap', args: [id] }),
      }),
    ),
  )
  const found: Schedules = new Map()
  for (const [index, answer] of answers.entries()) {
    const data = getResult(answer)
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
    // Mostly an empty answer: during a reorg a node may have a state without the contract.
    throw new UnknownBlockError({ code: -32001, message: 'the contract does not answer at that block' })
  }
}
