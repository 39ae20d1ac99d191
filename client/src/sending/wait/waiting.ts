import { Deadline } from '../../request/Deadline.ts'
import { sleep } from '../../request/sleep.ts'
import { StillPendingError } from '../errors.ts'

/** How long and how often something that was sent is asked for. */
export interface WaitLimits {
  readonly timeoutMs: number
  readonly pollingIntervalMs: number
  readonly signal?: AbortSignal | undefined
}

/** Told for how long something has been waited for, and for how much longer it will be. */
export type Remind = (waited: { readonly sinceMs: number; readonly forMs: number }) => void

/** How often it is told that something is still waited for. */
const REMIND_MS = 5_000

/**
 * Asks until there is an answer. A question that fails is asked again: what was sent does not go away with a
 * node's fault. Throws StillPendingError when the time is up or the signal aborts.
 * @param what was sent, for the error
 * @param remind hears of it every five seconds
 */
export async function pollUntil<Answer>(
  what: string,
  { timeoutMs, pollingIntervalMs, signal }: WaitLimits,
  ask: () => Promise<Answer | undefined>,
  remind: Remind,
): Promise<Answer> {
  const begun = performance.now()
  let reminders = 0
  const deadline = new Deadline(timeoutMs, signal)
  const end = deadline.signal
  let fault: unknown
  try {
    while (!end.aborted) {
      try {
        const answer = await untilAborted(ask(), end)
        if (answer !== undefined) return answer
        fault = undefined
      } catch (error) {
        fault = error
      }
      await sleep(pollingIntervalMs, end).catch(() => {})
      const sinceMs = Math.round(performance.now() - begun)
      if (end.aborted || sinceMs < (reminders + 1) * REMIND_MS) continue
      reminders = Math.floor(sinceMs / REMIND_MS)
      remind({ sinceMs, forMs: Math.max(0, timeoutMs - sinceMs) })
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
