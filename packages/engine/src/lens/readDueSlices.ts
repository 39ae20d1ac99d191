import { DueSlices } from '@remit/contracts/DueSlices'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { DueList } from '../ports/chainReads.ts'
import { askRows, type Lens } from './lens.ts'

const { abi, deployedBytecode: code } = DueSlices

/** How many ids one question may name, so that it fits into a creation's code beside the lens. */
const MOST_IN_QUESTION = 1_000

type Slot = Pick<DueList, 'frequency' | 'dueDay'>

/** The ids of due lists that a remit would charge: read once, and checked in slices. */
export async function readDueSlices(
  lens: Lens,
  slots: readonly Slot[],
): Promise<readonly (readonly Hex[])[]> {
  const question = encodeFunctionData({ abi, functionName: 'dueIds', args: [lens.protocol, slots] })
  const decode = (data: Hex) => decodeFunctionResult({ abi, functionName: 'dueIds', data })
  const [, lists] = await lens.ask(question, decode, { unboundedView: 'getIdByTime', code })
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

/** Those of the ids that remit would charge. */
async function askCharged(lens: Lens, ids: readonly Hex[]): Promise<Hex[]> {
  const pages = await askRows((start) => {
    const args = [lens.protocol, ids, start] as const
    const question = encodeFunctionData({ abi, functionName: 'charged', args })
    const decode = (data: Hex) => {
      const [, charged, next] = decodeFunctionResult({ abi, functionName: 'charged', data })
      return { charged, next }
    }
    return lens.ask(question, decode, { unboundedView: 'getSubscribersById', code })
  })
  return pages.flatMap(({ charged }) => charged)
}
