import { Deadline, sleep } from '../../request/Deadline.ts'
import { StillPendingError } from '../errors.ts'

/** How long and how often to ask for something that was sent. */
export interface WaitLimits {
  readonly timeoutMs: number
  readonly pollingIntervalMs: number
  readonly signal?: AbortSignal | undefined
  /** How long the waiting goes on after the signal has aborted. Default: not at all. */
  readonly graceMs?: number | undefined
  /** Default: the platform's. */
  readonly clock?: WaitClock | undefined
}

/** The time that waiting depends on. */
interface WaitClock {
  /** Milliseconds, from whenever. */
  now(): number
  /** Resolves after so long; as soon as the signal aborts it resolves or throws. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** What is told while something is waited for. */
export interface WaitWatch {
  /** Every five seconds: for how long it has been waited for, and for how much longer it will be. */
  remind(waited: { readonly sinceMs: number; readonly forMs: number }): void
  /** A question has failed after one that succeeded. */
  fault?(error: unknown): void
}

/** Waiting ends after 24 days at the latest: timers count milliseconds in 31 bits. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1
const REMIND_MS = 5_000
const PLATFORM_CLOCK: WaitClock = { now: () => performance.now(), sleep }

/**
 * Asks until there is an answer. A failed question is repeated, because a node's failure does not undo what was sent.
 * Throws StillPendingError when the time is up, or when the signal has aborted and the grace is over.
 * @param what was sent, for the error
 */
export async function pollUntil<Answer>(
  what: string,
  { timeoutMs, pollingIntervalMs, signal, graceMs = 0, clock = PLATFORM_CLOCK }: WaitLimits,
  ask: () => Promise<Answer | undefined>,
  watch: WaitWatch,
): Promise<Answer> {
  const begun = clock.now()
  let reminders = 0
  let abortedAt: number | undefined
  // With a grace, the signal alone does not end the waiting.
  const deadline = new Deadline(timeoutMs, graceMs > 0 ? undefined : signal)
  const end = deadline.signal
  /** What the last question failed with; `undefined` after one that succeeded. */
  let fault: unknown
  const isOver = () => {
    if (signal?.aborted) abortedAt ??= clock.now()
    return end.aborted || (abortedAt !== undefined && clock.now() - abortedAt >= graceMs)
  }
  try {
    while (!isOver()) {
      try {
        const answer = await untilAborted(ask(), end)
        if (answer !== undefined) return answer
        fault = undefined
      } catch (error) {
        if (fault === undefined && !end.aborted) watch.fault?.(error)
        fault = error
      }
      await clock.sleep(pollingIntervalMs, end).catch(() => {})
      const sinceMs = Math.round(clock.now() - begun)
      if (end.aborted || sinceMs < (reminders + 1) * REMIND_MS) continue
      reminders = Math.floor(sinceMs / REMIND_MS)
      watch.remind({ sinceMs, forMs: Math.max(0, timeoutMs - sinceMs) })
    }
  } finally {
    deadline.drop()
  }
  throw new StillPendingError(what, signal?.aborted ? signal.reason : (fault ?? end.reason))
}

/** The same promise, given up when the signal aborts: viem's reads take no signal. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
