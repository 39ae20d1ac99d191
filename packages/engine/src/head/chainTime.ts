import type { Head } from './blockHeader.ts'

/** A head that is older than this by the process's clock no longer tells the time. */
const OLD_SECONDS = 3_600

/**
 * The chain's clock: the unix time that the next block is expected to have.
 *
 * That is the head's timestamp plus the time since the head was first seen. If the head is over an hour old, it is
 * the process's clock, because a chain without transactions may mine nothing for days. Block times rise, so it is
 * always later than the head. While the head stays the same, it never goes back.
 *
 * Today, `validUntil`, due days and the time of proofs all come from here.
 * @param clocks.steadyMs the clock of `performance.now()`, as in `Head.seenAt`
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
