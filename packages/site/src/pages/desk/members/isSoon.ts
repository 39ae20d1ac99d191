import type { Member } from '@remit/client'

/**
 * A payment that fails within so many days is a reason for the provider to write to the member. Most permissions end later than that,
 * and their members extend them before.
 */
export const SOON_DAYS = 30

/**
 * Whether a member's next payment fails, or a later one within `SOON_DAYS`. `trouble` is the first payment that fails, null where none
 * does.
 * @param today the day of the chain's clock (unix time / 86400)
 */
export function isSoon(
  { trouble, nextCharge }: Pick<Member, 'trouble' | 'nextCharge'>,
  today: number,
): boolean {
  if (trouble === null) return false
  return trouble.dayNumber === nextCharge?.dayNumber || trouble.dayNumber - today <= SOON_DAYS
}
