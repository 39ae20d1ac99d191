import type { Verdict } from '../../core/ports/verdicts.ts'
import { SECONDS_PER_DAY } from '../../protocol/calendar.ts'

const HOUR = 3_600

/** How long before a due day begins its verdict is read once more. */
const BEFORE_DUE = [7 * SECONDS_PER_DAY, 3 * SECONDS_PER_DAY, SECONDS_PER_DAY, 6 * HOUR]
/** A verdict lists the charges of four months, and an answer may ask for three of them. */
const OLDEST = 30 * SECONDS_PER_DAY
/** While a due day is past and remit has not come. */
const OVERDUE = 6 * HOUR
/** Who is short may have been paid meanwhile, and a token may not be paused any more. */
const TROUBLED = SECONDS_PER_DAY
/** A token that could not be read. */
const FAILED = HOUR

/**
 * When a verdict is to be read again. Events that concern it make it due at once, whatever this says.
 * @param now unix seconds
 */
export function sweepAgainAt(verdict: Verdict | undefined, now: number): number {
  if (verdict === undefined) return now + FAILED
  const { firstDay, charges, trouble } = verdict
  const usual = Math.min(nextLook(firstDay, now), now + OLDEST)
  const isPaid = trouble === null && /[PF]/.test(charges)
  return isPaid ? usual : Math.min(usual, now + TROUBLED)
}

function nextLook(firstDay: number | null, now: number): number {
  if (firstDay === null) return now + OLDEST
  const due = firstDay * SECONDS_PER_DAY
  const looks = BEFORE_DUE.map((before) => due - before)
  return [...looks, due].find((at) => at > now) ?? now + OVERDUE
}
