import { isWanted, logFilters, type WantedLogs } from '@remit/protocol/logs/wantedLogs'
import { type Address, numberToHex } from 'viem'
import * as z from 'zod'
import { RangeRefusedError } from '../ports/nodes.ts'
import {
  isBeyondHead,
  isRangeRefusal,
  lacksPast,
  resultsGranted,
  suggestedTo,
} from '../rpc/limits/logsRefusal.ts'
import type { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { refusalIn, UnknownBlockError } from '../rpc/refusal.ts'
import type { OneNode } from '../rpc/rpc.ts'
import { RangeLog } from './nodeAnswers.ts'

type FoundLog = z.output<typeof RangeLog>

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The wanted logs of a range, as one node has them: by two questions, because one filter cannot name both the contract's
 * events and the approvals to it. They travel together.
 *
 * Throws RangeRefusedError, UnknownBlockError, and what else the node refuses.
 */
export async function readWantedLogs(
  one: OneNode,
  limits: NodeLimits,
  { contract, wanted, ...range }: Range & { readonly contract: Address; readonly wanted: WantedLogs },
): Promise<readonly FoundLog[]> {
  const { own, ofTokens } = logFilters(contract, wanted)
  const [ours, approvals] = await Promise.all([
    own === undefined ? [] : readLogs(one, limits, own, range),
    ofTokens === undefined ? [] : readLogs(one, limits, ofTokens, range),
  ])
  // A node that ignores topics gives all logs of a token.
  return merged(
    ours,
    approvals.filter((log) => isWanted(log, contract, wanted)),
  )
}

/** Each list keeps its order, so that a wrong order is still noticed. */
function merged(one: readonly FoundLog[], other: readonly FoundLog[]): readonly FoundLog[] {
  const logs: FoundLog[] = []
  let place = 0
  for (const log of one) {
    for (let next = other[place]; next !== undefined && isBefore(next, log); next = other[place]) {
      logs.push(next)
      place += 1
    }
    logs.push(log)
  }
  return logs.concat(other.slice(place))
}

function isBefore(one: FoundLog, other: FoundLog): boolean {
  return (
    one.blockNumber < other.blockNumber ||
    (one.blockNumber === other.blockNumber && one.logIndex < other.logIndex)
  )
}

async function readLogs(
  one: OneNode,
  limits: NodeLimits,
  filter: { readonly address: Address | readonly Address[]; readonly topics: readonly unknown[] },
  { from, to }: Range,
) {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  try {
    return await one.request('eth_getLogs', [{ ...filter, ...range }], z.array(RangeLog))
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal === undefined) throw error
    const said = { code: refusal.error.code, message: refusal.error.message }
    // The next node may have it.
    if (refusal.kind === 'unknownBlock' || isBeyondHead(said)) throw new UnknownBlockError(said)
    if (lacksPast(said)) limits.found('pastLogs', false)
    if (!isRangeRefusal(said)) throw error
    const suggested = suggestedTo(said, from, to)
    const results = resultsGranted(said)
    // How many blocks hold so many logs differs from range to range.
    if (results !== undefined) limits.refused('logResults', results + 1, results)
    else limits.refused('logRange', to - from + 1, suggested && suggested - from + 1)
    throw new RangeRefusedError(suggested, { cause: error })
  }
}
