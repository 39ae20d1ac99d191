import type { Frequency } from '@remit/protocol/subscription'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { DueList } from '../ports/chainReads.ts'
import { type Lens, lensAbi } from './lens.ts'
import type { readDueSlices } from './readDueSlices.ts'

/**
 * The due lists in the order asked for, with only what a remit of such a day would charge. Mostly in one question. Where
 * it does not suffice, the ids are read once, and checked in slices.
 */
export async function readDue(
  lens: Lens,
  lists: readonly { readonly frequency: Frequency; readonly dueDay: number }[],
): Promise<DueList[]> {
  const slots = lists.map(({ frequency, dueDay }) => ({ frequency, dueDay }))
  const question = encodeFunctionData({ abi: lensAbi, functionName: 'due', args: [lens.protocol, slots, 0n] })
  const decode = (data: Hex) => decodeFunctionResult({ abi: lensAbi, functionName: 'due', data })
  const [, charged, next] = await lens.ask(question, decode, { unboundedView: 'getIdByTime' })
  const whole = next === 0n ? charged : await inSlices(lens, slots)
  return slots.map((slot, index) => ({ ...slot, subscriptionIds: whole[index] ?? [] }))
}

/** Few lists are so long, so what reads them is loaded when it is first needed. */
async function inSlices(...asked: Parameters<typeof readDueSlices>) {
  const { readDueSlices } = await import('./readDueSlices.ts')
  return readDueSlices(...asked)
}
