import { getLogsRetryHelper } from '@ponder/utils'
import { hexToNumber, isHex, numberToHex, RpcError, type RpcErrorCode } from 'viem'

/** What a node said instead of logs. */
interface Refusal {
  readonly code: number
  readonly message: string
}

/**
 * Words about the size of a range, a result or its computation that the helper below does not know. Words
 * about how often one asks are no such words, though both are called limits.
 */
const SIZE = /range|blocks|results|(number|many|of) logs|response size|too large|query timeout|timed? ?out/i
const FREQUENCY = /rate|too many requests|requests per|per second|compute units|throughput|quota|credits/i

/** geth: "block range extends beyond current head block"; Nethermind and others: "… cannot be found". */
const BEYOND_HEAD =
  /beyond (current|the) head|cannot be found|after last accepted block|(greater|higher|larger) than (the )?(latest|head|current)/i

type Advice = ReturnType<typeof getLogsRetryHelper>

/** Enough for any sentence. */
const MOST_TEXT = 1_000

/** Whether a node says that it does not have the range's last block yet. */
export function isBeyondHead({ message }: Refusal): boolean {
  return BEYOND_HEAD.test(message)
}

/** Whether the node says that the range is too large, in words that are known. */
export function isRangeRefusal(refusal: Refusal): boolean {
  // Any range will do: what it is cut into is of no interest here.
  if (helped(refusal, 0, 20_000).shouldRetry) return true
  return SIZE.test(refusal.message) && !FREQUENCY.test(refusal.message)
}

/** A last block that the node would answer to, where its words name a range or a limit. */
export function suggestedTo(refusal: Refusal, from: number, to: number): number | undefined {
  const advice = helped(refusal, from, to)
  if (!advice.shouldRetry || !advice.isSuggestedRange) return undefined
  const first = advice.ranges[0]
  if (first === undefined || !isHex(first.toBlock)) return undefined
  const last = hexToNumber(first.toBlock)
  return last >= from && last < to ? last : undefined
}

function helped({ code, message }: Refusal, from: number, to: number): Advice {
  const text = message.slice(0, MOST_TEXT)
  if (!isSane(text)) return { shouldRetry: false }
  // Of codes it knows only this one; all others are words to it.
  const known = code === -32600 ? code : -32000
  const error = new RpcError<RpcErrorCode>(new Error(text), { code: known, shortMessage: text })
  return getLogsRetryHelper({ error, params: [{ fromBlock: numberToHex(from), toBlock: numberToHex(to) }] })
}

/** A limit of no blocks, or a range that ends before it begins, would have the helper count for ever. */
function isSane(text: string): boolean {
  for (const [, limit = ''] of text.matchAll(/(?:set to|range:|at most) ?([\d,.]*)/gi)) {
    if (/\d/.test(limit) ? /^[0,.]*$/.test(limit) : limit !== '') return false
  }
  for (const [, first = '', last = ''] of text.matchAll(/\[0x([\da-f]+),\s*0x([\da-f]+)\]/gi)) {
    if (BigInt(`0x${last}`) < BigInt(`0x${first}`)) return false
  }
  return true
}
