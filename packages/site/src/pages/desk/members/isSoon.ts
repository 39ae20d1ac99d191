import type { Member } from '@remit/client'

/** Within so many days a failing payment is worth a letter. Most permissions end later, and are extended by then. */
export const SOON_DAYS = 30

/** Whether a member's next payment fails, or one within `SOON_DAYS`. @param today the day of the chain's clock */
export function isSoon(
  { trouble, nextCharge }: Pick<Member, 'trouble' | 'nextCharge'>,
  today: number,
): boolean {
  if (trouble === null) return false
  return trouble.dayNumber === nextCharge?.dayNumber || trouble.dayNumber - today <= SOON_DAYS
}
