import type { Head } from './blockHeader.ts'

/** A head older than this by the clock on the wall does not tell the time any more. */
const OLD_SECONDS = 3_600

/**
 * The chain's clock: unix time that the next block would have, as far as can be told.
 *
 * That is the head's timestamp and the time since the head was first seen, or the clock on the wall where the head
 * is over an hour old: a chain without transactions may mine nothing for days. Blocks have rising times, so it is
 * later than the head. While the head stays it never goes back.
 *
 * Today, `validUntil`, due days and the time of proofs all come from here.
 * @param clocks.steadyMs as `performance.now()` has it, which heads are stamped with
 * @param clocks.wallMs unix time in milliseconds
 */
export function chainTime(
  { timestamp, seenAt }: Pick<Head, 'timestamp' | 'seenAt'>,
  { steadyMs, wallMs }: { readonly steadyMs: number; readonly wallMs: number },
): number {
  const elapsed = timestamp + Math.floor((steadyMs - seenAt) / 1_000)
  const wall = Math.floor(wallMs / 1_000)
  const isOld = wall - timestamp > OLD_SECONDS
  return Math.max(timestamp + 1, elapsed, isOld ? wall : 0)
}
