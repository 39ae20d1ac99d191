import { DueSlices } from '@remit/contracts/DueSlices'
import type { Frequency } from '@remit/protocol/subscription'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { DueList } from '../ports/chainReads.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'

const { abi, deployedBytecode: code } = DueSlices

/** The most that one question may name, so that it fits into a creation's code beside the lens. */
const MOST_IN_QUESTION = 1_000

type Slot = Pick<DueList, 'frequency' | 'dueDay'>

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
  const [, charged, next] = await lens.ask(question, decode, { boundless: 'getIdByTime' })
  const whole = next === 0n ? charged : await readInSlices(lens, slots)
  return slots.map((slot, index) => ({ ...slot, subscriptionIds: whole[index] ?? [] }))
}

async function readInSlices(lens: Lens, slots: readonly Slot[]): Promise<readonly (readonly Hex[])[]> {
  const question = encodeFunctionData({ abi, functionName: 'dueIds', args: [lens.protocol, slots] })
  const decode = (data: Hex) => decodeFunctionResult({ abi, functionName: 'dueIds', data })
  const [, lists] = await lens.ask(question, decode, { boundless: 'getIdByTime', code })
  return Promise.all(
    lists.map(async (ids) => {
      const slices: (readonly Hex[])[] = []
      for (let from = 0; from < ids.length; from += MOST_IN_QUESTION) {
        slices.push(ids.slice(from, from + MOST_IN_QUESTION))
      }
      return (await Promise.all(slices.map((slice) => askCharged(lens, slice)))).flat()
    }),
  )
}

async function askCharged(lens: Lens, ids: readonly Hex[]): Promise<Hex[]> {
  const pages = await askPages(
    0n,
    (start) => {
      const args = [lens.protocol, ids, start] as const
      const question = encodeFunctionData({ abi, functionName: 'charged', args })
      const decode = (data: Hex) => decodeFunctionResult({ abi, functionName: 'charged', data })
      return lens.ask(question, decode, { boundless: 'getSubscribersById', code })
    },
    ([, , next]) => (next === 0n ? undefined : next),
  )
  return pages.flatMap(([, kept]) => kept)
}
