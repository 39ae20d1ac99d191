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

/**
 * The members in trouble: whom the provider should write to now, and whose permission or money ends later.
 * @param readThrough the last day of a newer reading, which tells by itself who will not pay until then
 */
export function troubledOf<Row extends Pick<Member, 'trouble' | 'nextCharge'>>(
  rows: readonly Row[],
  today: number,
  readThrough = Number.NEGATIVE_INFINITY,
): { readonly soon: readonly Row[]; readonly later: readonly Row[] } {
  const unread = rows.filter(({ trouble }) => trouble !== null && trouble.dayNumber > readThrough)
  return {
    soon: unread.filter((row) => isSoon(row, today)),
    later: unread.filter((row) => !isSoon(row, today)),
  }
}
