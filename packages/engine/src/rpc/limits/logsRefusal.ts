import { getLogsRetryHelper } from '@ponder/utils'
import { hexToNumber, isHex, numberToHex, RpcError, type RpcErrorCode } from 'viem'

// Reads why a node refuses eth_getLogs: the range is too large, ends after its head, or is too old. A helper of the package
// @ponder/utils knows many texts of nodes; the words here are those that it lacks.

/** What a node said instead of logs. */
interface Refusal {
  readonly code: number
  readonly message: string
}

/**
 * Words for the size of a range, of a result or of its computation that the helper below does not know. A text
 * with the words of FREQUENCY is about too many requests, which nodes call a limit as well.
 */
const SIZE = /range|blocks|results|(number|many|of) logs|response size|too large|query timeout|timed? ?out/i
const FREQUENCY = /rate|too many requests|requests per|per second|compute units|throughput|quota|credits/i

/**
 * Words for a range that ends after the node's head. geth: "block range extends beyond current head block"; Nethermind and
 * others: "… cannot be found".
 */
const BEYOND_HEAD =
  /beyond (current|the) head|cannot be found|after last accepted block|(greater|higher|larger) than (the )?(latest|head|current)/i

/** How many logs a node says that it gives at once. */
const MOST_RESULTS =
  /(?:more than|exceeds?(?: the)?|limit(?:ed)?(?: to| of)?|max(?:imum)?(?: of)?|up to)\D{0,20}(\d[\d,]{2,8}|\d+k)\s*(?:results|logs)/i

/** Words for logs that are too old: of nodes that dropped them (EIP-4444), and of gateways without an archive. */
const PRUNED = /prun|archive|older than|history .{0,30}(not |un)available/i

type Advice = ReturnType<typeof getLogsRetryHelper>

/** Only so many characters of a node's text are read. No refusal is longer. */
const MOST_TEXT = 1_000

/** Whether a node says that it does not have the range's last block yet. */
export function isBeyondHead({ message }: Refusal): boolean {
  return BEYOND_HEAD.test(message)
}

/** Whether the node says, in a known wording, that the range is too large. */
export function isRangeRefusal(refusal: Refusal): boolean {
  // Any range will do, because only `shouldRetry` is read.
  if (adviceOn(refusal, 0, 20_000).shouldRetry) return true
  return SIZE.test(refusal.message) && !FREQUENCY.test(refusal.message)
}

/** How many logs the node says that it gives at once; `undefined` if it does not. */
export function resultsGranted({ message }: Refusal): number | undefined {
  const [, text = ''] = MOST_RESULTS.exec(message) ?? []
  const number = Number(text.replaceAll(',', '').replace(/k$/i, '000'))
  return number > 0 ? number : undefined
}

/** Whether the node says that it does not have such old logs any more. */
export function lacksPast({ code, message }: Refusal): boolean {
  return code === 4444 || PRUNED.test(message)
}

/** The last block of the range that the node's text suggests; `undefined` if it suggests none. */
export function suggestedTo(refusal: Refusal, from: number, to: number): number | undefined {
  const advice = adviceOn(refusal, from, to)
  if (!advice.shouldRetry || !advice.isSuggestedRange) return undefined
  const first = advice.ranges[0]
  if (first === undefined || !isHex(first.toBlock)) return undefined
  const last = hexToNumber(first.toBlock)
  return last >= from && last < to ? last : undefined
}

/** What the helper advises to do after a refusal. It is not asked about a text that it would never come back from. */
function adviceOn({ code, message }: Refusal, from: number, to: number): Advice {
  const text = message.slice(0, MOST_TEXT)
  if (!helperEnds(text)) return { shouldRetry: false }
  // The helper knows only this code. For all others it reads the text.
  const known = code === -32600 ? code : -32000
  const error = new RpcError<RpcErrorCode>(new Error(text), { code: known, shortMessage: text })
  return getLogsRetryHelper({ error, params: [{ fromBlock: numberToHex(from), toBlock: numberToHex(to) }] })
}

/** Whether the helper ends: over a limit of no blocks, or a range that ends before it begins, it would loop for ever. */
function helperEnds(text: string): boolean {
  for (const [, limit = ''] of text.matchAll(/(?:set to|range:|at most) ?([\d,.]*)/gi)) {
    if (/\d/.test(limit) ? /^[0,.]*$/.test(limit) : limit !== '') return false
  }
  for (const [, first = '', last = ''] of text.matchAll(/\[0x([\da-f]+),\s*0x([\da-f]+)\]/gi)) {
    if (BigInt(`0x${last}`) < BigInt(`0x${first}`)) return false
  }
  return true
}
