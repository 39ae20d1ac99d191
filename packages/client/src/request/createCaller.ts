import type { CallOptions, Wait } from '../call/CallOptions.ts'
import { type Input, toRequest } from '../call/toRequest.ts'
import { BlockNotSeenError } from '../errors/RemitError.ts'
import { exchange } from './exchange.ts'
import { type Credentials, createHeaders } from './headers.ts'
import { baseUrl } from './parseUrl.ts'
import { decodeChecked, readReply, rowOf } from './readReply.ts'
import { waitBefore, waitFor } from './retrying.ts'

/** How calls are made, wherever they are answered. */
export interface CallerOptions {
  /**
   * The chain of every call that names no other. Default: the service's default chain, or the one that the client's own node is
   * on; for what a wallet sends, the chain that the wallet is on.
   */
  readonly chainId?: number | undefined
  /** How long one try may take, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** How often a call that changes nothing is tried again. Default: 2. */
  readonly retries?: number | undefined
  /** The longest Retry-After, in seconds, that a call sits out; for a longer one the error is thrown at once. Default: 60. */
  readonly maxRetryAfterSeconds?: number | undefined
  /** Called before each wait between two tries of any call. What it throws ends the call. */
  readonly onWait?: ((wait: Wait) => void) | undefined
}

/** Where and how the service is called. */
export interface RequestOptions extends CallerOptions, Credentials {
  /** Of the service, with or without /api. */
  readonly url: string | URL
  /** What sends requests. Default: the platform's fetch. */
  readonly fetch?: typeof fetch | undefined
}

/** The clock and the randomness of waiting. */
export interface Surroundings {
  now(): number
  random(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Calls an operation by its name and gives its decoded answer. */
export type Caller = (name: string, input?: Input, options?: CallOptions) => Promise<unknown>

/** One try of a call, within its time. It gives the decoded answer. */
export type Attempt = (
  name: string,
  input: Input,
  how: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
) => Promise<unknown>

/** Calls the operations of one service, and tries again where that is safe. */
export function createCaller(options: RequestOptions, surroundings: Surroundings): Caller {
  return tryingAgain(serviceAttempt(options, surroundings), options, surroundings)
}

/** One try of a call at a service. */
export function serviceAttempt(options: RequestOptions, { now }: Pick<Surroundings, 'now'>): Attempt {
  const base = baseUrl(options.url)
  const { origin } = new URL(base)
  const headersOf = createHeaders(options)
  // Looked up at each call: the platform's fetch works with no other `this`, and may be replaced.
  const send: typeof fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  return async (name, input, how) => {
    const row = rowOf(name)
    const { target, method, body } = toRequest(name, row, input, options.chainId)
    const headers = headersOf({ forOperators: row.forOperators === true, hasBody: body !== undefined })
    const reply = await exchange(send, `${base}${target}`, { method, headers, body }, how)
    const answered = readReply(reply, origin, now())
    const requestId = reply.headers.get('x-request-id') ?? undefined
    return decodeChecked(name, answered, { status: reply.status, requestId })
  }
}

/** Tries a call again where that is safe and may help. */
export function tryingAgain(
  attemptOnce: Attempt,
  options: CallerOptions,
  { now, random, sleep }: Surroundings,
): Caller {
  const { maxRetryAfterSeconds = 60 } = options
  const usual = { timeoutMs: options.timeoutMs ?? 30_000, retries: options.retries ?? 2 }
  requireRange({ ...usual, maxRetryAfterSeconds })

  return async (name, input = {}, call = {}) => {
    const { signal, timeoutMs = usual.timeoutMs, retries = usual.retries, withinMs } = call
    const { onWait = options.onWait } = call
    requireRange({ timeoutMs, retries, withinMs })
    // `withinMs` counts from here, over all tries.
    const end = withinMs === undefined ? Number.POSITIVE_INFINITY : now() + withinMs
    const tries = 1 + (rowOf(name).repeatable === true ? retries : 0)
    for (let attempt = 0; ; attempt += 1) {
      try {
        const leftMs = Math.max(1, Math.min(timeoutMs, end - now()))
        return await attemptOnce(name, input, { timeoutMs: leftMs, signal })
      } catch (error) {
        const waitMs = waitBefore(error, attempt, { maxRetryAfterSeconds, random })
        // The block will come, so with `withinMs` it is asked for until the time is up, however few `retries` there are, but for none.
        const isBlockToCome = withinMs !== undefined && error instanceof BlockNotSeenError
        const hasTryLeft = attempt + 1 < tries || (tries > 1 && isBlockToCome)
        if (!hasTryLeft || waitMs === undefined || now() + waitMs >= end) throw error
        onWait?.(waitFor(error, waitMs))
        await sleep(waitMs, signal)
      }
    }
  }
}

/** What options may be. Timers count milliseconds in 31 bits: a longer one ends at once. */
const RANGES = {
  timeoutMs: [1, 2 ** 31 - 1],
  withinMs: [1, 2 ** 31 - 1],
  retries: [0, 100],
  maxRetryAfterSeconds: [0, 2_000_000],
} as const

function requireRange(values: Partial<Record<keyof typeof RANGES, number | undefined>>): void {
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value = Reflect.get(values, name)
    if (value !== undefined && !(Number.isFinite(value) && value >= least && value <= most)) {
      throw new RangeError(`${name} must be ${least} to ${most}`)
    }
  }
}
