import type { Member } from '@remit/client'

/** A provider writes to those whose payment fails within a month: most permissions end later, and are extended by then. */
export const SOON_DAYS = 30

/** Whether somebody's next payment fails, or one within a month. @param today the day of the chain's clock */
export function isSoon(
  { trouble, nextCharge }: Pick<Member, 'trouble' | 'nextCharge'>,
  today: number,
): boolean {
  if (trouble === null) return false
  return trouble.dayNumber === nextCharge?.dayNumber || trouble.dayNumber - today <= SOON_DAYS
}
