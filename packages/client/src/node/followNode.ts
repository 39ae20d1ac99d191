import type { Change } from '../events/Watch.ts'
import type { CallerOptions, Surroundings } from '../request/createCaller.ts'
import { waitBefore, waitFor } from '../request/retrying.ts'

/** One watch of a node. */
export interface NodeWatch {
  /** What happened since; nothing where the newest block has been read. */
  next(signal: AbortSignal): Promise<readonly Change[]>
  /** Waits until there may be something. */
  wait(signal: AbortSignal): Promise<void>
  close(): void
}

/** The changes that a watch of one's own node tells (`client.watch`). If the node fails, the same watch is asked again. */
export async function* followNode(
  begin: () => Promise<NodeWatch>,
  signal: AbortSignal = new AbortController().signal,
  { maxRetryAfterSeconds = 60, onWait }: Pick<CallerOptions, 'maxRetryAfterSeconds' | 'onWait'>,
  { random, sleep }: Surroundings,
): AsyncGenerator<Change> {
  let watch: NodeWatch | undefined
  let failures = 0
  try {
    for (;;) {
      signal.throwIfAborted()
      let changes: readonly Change[] = []
      try {
        watch ??= await begin()
        changes = await watch.next(signal)
        failures = 0
        if (changes.length === 0) await watch.wait(signal)
      } catch (error) {
        signal.throwIfAborted()
        const waitMs = waitBefore(error, failures, { maxRetryAfterSeconds, random })
        if (waitMs === undefined) throw error
        failures += 1
        onWait?.(waitFor(error, waitMs))
        await sleep(waitMs, signal)
      }
      yield* changes
    }
  } finally {
    watch?.close()
  }
}
