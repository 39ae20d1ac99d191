import type { Verdict } from '@remit/engine/ports/verdicts'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'

const HOUR = 3_600

// All times here are in seconds.

/** How long before a due day begins its verdict is read once more. */
const BEFORE_DUE = [7 * SECONDS_PER_DAY, 3 * SECONDS_PER_DAY, SECONDS_PER_DAY, 6 * HOUR]
/** A verdict lists the charges of four months, and an answer may ask for three of them. */
const OLDEST = 30 * SECONDS_PER_DAY
/** How soon again while a due day is past and remit has not come. */
const OVERDUE = 6 * HOUR
/** How soon again for a payer who is short, or whose token is paused: either may end without an event. */
const TROUBLED = SECONDS_PER_DAY
/** How soon again where there is no verdict: the token could not be read, or the payer has too many memberships. */
const FAILED = HOUR

/**
 * When the sweep is to read a verdict again: more often as the due day comes near. Events that concern it make it due at once,
 * whatever this says.
 * @param now unix seconds
 * @returns unix seconds
 */
export function sweepAgainAt(verdict: Verdict | undefined, now: number): number {
  if (verdict === undefined) return now + FAILED
  const { firstDay, charges, trouble } = verdict
  const usual = Math.min(nextLook(firstDay, now), now + OLDEST)
  // P is a charge that is paid, F one that fills the fee balance (`Verdict.charges`). With neither, remit passes over all
  // of them, because the token is paused.
  const isPaid = trouble === null && /[PF]/.test(charges)
  return isPaid ? usual : Math.min(usual, now + TROUBLED)
}

function nextLook(firstDay: number | null, now: number): number {
  if (firstDay === null) return now + OLDEST
  const due = firstDay * SECONDS_PER_DAY
  const looks = BEFORE_DUE.map((before) => due - before)
  return [...looks, due].find((at) => at > now) ?? now + OVERDUE
}
