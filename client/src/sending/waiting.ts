import { Deadline } from '../request/Deadline.ts'
import { sleep } from '../request/sleep.ts'
import { StillPendingError } from './errors.ts'

/** How long and how often something that was sent is asked for. */
export interface Patience {
  readonly timeoutMs: number
  readonly pollingIntervalMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks until there is an answer. A question that fails is asked again: what was sent does not go away with a
 * node's fault. Throws StillPendingError when the time is up or the signal aborts.
 * @param what was sent, for the error
 */
export async function pollUntil<Answer>(
  what: string,
  { timeoutMs, pollingIntervalMs, signal }: Patience,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
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
