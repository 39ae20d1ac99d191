import { SweepLens } from '@remit/contracts/SweepLens'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { PayerQuery, PayersState } from '../ports/chainReads.ts'
import { askRows, type Lens } from './lens.ts'
import { protocolSettings } from './lensRows.ts'

const { abi, deployedBytecode: code } = SweepLens

/** How many memberships one question may name, so that it fits into a creation's code beside the lens. */
const MOST_IN_QUESTION = 400

/**
 * What these memberships have to pay with, in their order: the index's sweep makes verdicts of it. Some hundreds take one
 * HTTP request.
 */
export async function readPayers(lens: Lens, rows: readonly PayerQuery[]): Promise<PayersState> {
  const parts: (readonly PayerQuery[])[] = []
  for (let from = 0; from < Math.max(1, rows.length); from += MOST_IN_QUESTION) {
    parts.push(rows.slice(from, from + MOST_IN_QUESTION))
  }
  const pages = (await Promise.all(parts.map((part) => askPayers(lens, part)))).flat()
  const [first] = pages
  if (first === undefined) throw new RangeError('an answer has one page at least')
  return {
    settings: protocolSettings(first.settings),
    requests: pages.length,
    rows: pages.flatMap(({ states }) =>
      states.map(({ readable, ...state }) => (readable ? state : undefined)),
    ),
  }
}

function askPayers(lens: Lens, rows: readonly PayerQuery[]) {
  const named = rows.map(({ id, account, token }) => ({ id, account, token }))
  return askRows((start) => {
    const args = [lens.protocol, named, start] as const
    const question = encodeFunctionData({ abi, functionName: 'payers', args })
    const decode = (data: Hex) => {
      const [, settings, states, next] = decodeFunctionResult({ abi, functionName: 'payers', data })
      return { settings, states, next }
    }
    return lens.ask(question, decode, { code })
  })
}
