import * as z from 'zod'
import { isRangeRefusal } from './logsRefusal.ts'

// Nodes share no codes for their limits, so their words are read: of requests in a batch, of a body, of an answer, of calls per
// second, and of gas.

/** A refusal, as far as anything of it arrived. */
export interface RefusedAnswer {
  /** The HTTP status. */
  readonly status?: number
  readonly code?: number
  readonly message?: string
  readonly data?: unknown
  /** The header of this name. */
  readonly retryAfter?: string | null
}

/** Which limit a node says that a request has passed. */
export type LimitHit =
  /** @param granted how much it says that it grants */
  | { readonly kind: 'batch' | 'body'; readonly granted?: number }
  /** Its answer would be too long. */
  | { readonly kind: 'answer' }
  /** Too many requests. @param waitMs how long the node asks not to be called */
  | { readonly kind: 'rate'; readonly waitMs?: number }

/** Codes by which nodes say "too many requests", some of them for other things as well. */
const RATE_CODES = new Set([429, 1015, -32005, -32007, -32012, -32016, -32017, -32029, -32090])
/** Words that are about too many requests and never about anything else. */
const RATE_WORDS =
  /rate.?limit|too many requests?\b(?! in)|requests? per (second|minute)|request limit|per second capacity|quota|daily request count|credits limited|usage limit|capacity limit|over capacity|throughput|RPS limit/i

/** A batch has too many requests, or no batch is taken. */
const BATCH_WORDS =
  /batch(ed|ing)?\b.{0,60}(too (large|many|big)|limit|exceed|more than|maximum|\bmax\b|not (supported|allowed|enabled)|unsupported|disabled)|(too (large|many|big)|limit|exceed\w*|more than|maximum|\bmax\b|not support).{0,60}\bbatch|too many .{0,20}calls in batch/i
/** A batch whose answer is too long is no batch of too many requests. */
const BATCH_RESPONSE = /batch response|response.{0,20}batch/i
const NO_BATCHES =
  /batch.{0,40}(not (supported|allowed|enabled)|unsupported|disabled)|not support.{0,20}batch/i
/** "more than 3 requests", "limit 100 exceeded", "size is 10", "max limit of 10" */
const BATCH_NUMBER =
  /(?:more than|limit(?:ed)?(?: of| to| is)?|size(?: of| is)?|maximum(?: of| is)?|max(?: of| is)?|up to|at most|exceeds?)[ :=]*(\d{1,5})\b/i

const BODY_WORDS =
  /request (entity|body|size|is)?.{0,12}too (large|big|long)|body.{0,20}too (large|big|long)|content.?(length|size).{0,20}too (large|big|long)|payload too large|oversized request|request size exceed/i
const ANSWER_WORDS = /response.{0,24}too (large|big|long)|response size.{0,30}(exceed|limit|should not)/i

/** A body shorter than this is refused for its number of requests, and not for its length. */
export const SHORT_BODY_BYTES = 32 * 1024

/** What `eth_call` and `eth_simulateV1` are refused with because of their gas. */
const GAS_CODES = new Set([-38015, -38026])
const GAS_WORDS =
  /gas ?(limit|cap|allowance).{0,60}(too high|too large|exceed|reached|above|greater|higher|more)|(exceed|above|greater than|higher than|more than).{0,40}gas ?(limit|cap|allowance)|exceeds allowance|adjustable limit|client limit exceeded|intrinsic gas too low/i
/** "gas required exceeds allowance (25000000)", "(cap: 16777216, tx: 30000000)", "greater than the cap (16777216)" */
const GAS_NUMBER = /(?:allowance|\bcap\b)\D{0,12}(\d{5,12})\b/i

const Wait = z.object({
  rate: z.object({ backoff_seconds: z.number().positive() }).optional(),
  try_again_in: z.string().optional(),
})

/** The longest pause. A node may ask for a day, but is called again sooner. */
const LONGEST_WAIT_MS = 10 * 60_000

const REVERT = /revert/i

/** Which limit a refusal names; `undefined` if it names none, or has an unknown error text. */
export function limitIn(refusal: RefusedAnswer): LimitHit | undefined {
  const { status, code, message = '' } = refusal
  // A contract chooses the text of its revert.
  if (REVERT.test(message)) return undefined
  const text = `${message} ${typeof refusal.data === 'string' ? refusal.data : ''}`.slice(0, 1_000)
  if (BATCH_WORDS.test(text) && !BATCH_RESPONSE.test(text)) return batchHit(text)
  if (status === 413 || BODY_WORDS.test(text)) return { kind: 'body' }
  if (ANSWER_WORDS.test(text)) return { kind: 'answer' }
  if (status === 429 || isAboutRate(code, message)) return rateHit(refusal)
  return undefined
}

/** How much gas a refusal grants, if it is about gas: `undefined` if it is not, 0 if it names no number. */
export function gasLimitIn({ code, message = '' }: RefusedAnswer): number | undefined {
  if (message.includes('too many blocks') || REVERT.test(message)) return undefined
  if (!GAS_WORDS.test(message) && !GAS_CODES.has(code ?? 0)) return undefined
  return Number(GAS_NUMBER.exec(message)?.[1] ?? 0)
}

function batchHit(text: string): LimitHit {
  if (NO_BATCHES.test(text) && !/more than/i.test(text)) return { kind: 'batch', granted: 1 }
  const granted = Number(BATCH_NUMBER.exec(text)?.[1] ?? 0)
  return granted > 0 ? { kind: 'batch', granted } : { kind: 'batch' }
}

/** The same codes also mean "too many results", where waiting does not help. */
function isAboutRate(code: number | undefined, message: string): boolean {
  if (code !== undefined && RATE_CODES.has(code)) return !isRangeRefusal({ code, message })
  return RATE_WORDS.test(message)
}

function rateHit({ retryAfter, data }: RefusedAnswer): LimitHit {
  const waitMs = waitIn(retryAfter, data)
  return waitMs === undefined ? { kind: 'rate' } : { kind: 'rate', waitMs: Math.min(waitMs, LONGEST_WAIT_MS) }
}

function waitIn(retryAfter: string | null | undefined, data: unknown): number | undefined {
  if (retryAfter !== null && retryAfter !== undefined) {
    if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1_000
    const until = Date.parse(retryAfter)
    if (!Number.isNaN(until)) return Math.max(0, until - Date.now())
  }
  const wait = Wait.safeParse(data)
  if (!wait.success) return undefined
  const { rate, try_again_in: again } = wait.data
  if (rate !== undefined) return rate.backoff_seconds * 1_000
  const [, number, unit] = /^(\d{1,7}(?:\.\d{1,9})?)(ms|s)$/.exec(again ?? '') ?? []
  return number === undefined ? undefined : Math.ceil(Number(number) * (unit === 's' ? 1_000 : 1))
}
