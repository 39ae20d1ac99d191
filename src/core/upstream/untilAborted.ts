import { setMaxListeners } from 'node:events'

/**
 * The work's outcome, or the signal's reason as soon as it is aborted.
 *
 * The work goes on, because other callers may share it. It has its own time limits.
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else {
      // As in `Deadline`: many wait on one signal.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', onAbort, { once: true })
    }
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
