import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so many milliseconds, or as soon as the signal aborts. Without a signal it keeps no process alive. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? { ref: false } : { signal }
  await sleep(Math.max(0, ms), undefined, options).catch(() => {})
}
