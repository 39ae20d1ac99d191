import { given, isGiven } from '../page/Resource.ts'

/** How many subscribe now, if the page came with it and it could be read. */
export function membersOf(id: string): number | undefined {
  const key = `today:${id}`
  if (!isGiven(key)) return undefined
  const known = given(key, 'getSubscriptionRevenue').value
  if (known.state !== 'there') return undefined
  // A subscription that never had a member has no row.
  return known.answer.tokens.reduce(
    (sum, { intervals }) => sum + (intervals.at(-1)?.subscribers.activeAtEnd ?? 0),
    0,
  )
}

/** "1 subscriber". */
export function memberWords(count: number): string {
  return `${count.toLocaleString('en')} subscriber${count === 1 ? '' : 's'}`
}
