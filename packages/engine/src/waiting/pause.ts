import { onAbort } from './onAbort.ts'

/** Keeps no process alive, where the platform has processes. */
export function unref(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null) return
  if ('unref' in timer && typeof timer.unref === 'function') timer.unref()
}

/** Resolves after so many milliseconds, or as soon as the signal aborts. Without a signal it keeps no process alive. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const stopListening = signal && onAbort(signal, end)
    const timer = setTimeout(end, Math.max(0, ms))
    if (signal === undefined) unref(timer)
    function end() {
      clearTimeout(timer)
      stopListening?.()
      resolve()
    }
  })
}
