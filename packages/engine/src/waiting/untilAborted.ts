import { onAbort } from './onAbort.ts'

/**
 * The work's outcome, or the signal's reason as soon as it is aborted.
 *
 * The work goes on, because other callers may share it. It has its own time limits.
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work
  let stopListening = () => {}
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else stopListening = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stopListening()
  }
}
