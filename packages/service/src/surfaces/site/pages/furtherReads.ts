import type { PageAnswer } from '@remit/site/page/pageContents'
import * as z from 'zod'
import type { PageReads } from './definePage.ts'

// Reads that several pages have beside their subject: names, details and memberships of the rows that were found. And dates.

/** How far pages look ahead: three months, in which a quarterly plan is due once. */
export const OUTLOOK_DAYS = 92

const Row = z.object({ id: z.string(), provider: z.string(), overdueCount: z.number().optional() })

/** The subscriptions in a list of an answer. Its rows are subscriptions, or have one in the field `subscription`. */
export function subscriptionsIn(answer: PageAnswer | undefined, field: string) {
  const rows = answer?.body[field]
  if (answer?.status !== 200 || !Array.isArray(rows)) return []
  return rows.map((row) => Row.parse(row.subscription ?? row))
}

/** The profiles of these providers, each by `profile:` and its address. */
export function profilesOf(rows: readonly { readonly provider: string }[]): PageReads {
  return byKey('profile', unique(rows.map(({ provider }) => provider)), (address) => ({
    operation: 'get_provider_profile',
    input: { address },
  }))
}

/** What providers say of these subscriptions, each by `details:` and its id. */
export function detailsOf(rows: readonly { readonly id: string }[]): PageReads {
  return byKey('details', unique(rows.map(({ id }) => id)), (id) => ({
    operation: 'get_subscription_details',
    input: { id },
  }))
}

/** What names these subscriptions: their terms, each by `plan:` and its id, and what their providers say of them. */
export function plansNamed(ids: readonly string[]): PageReads {
  const plans = byKey('plan', unique(ids), (id) => ({ operation: 'get_subscription', input: { id } }))
  return { ...plans, ...detailsOf(ids.map((id) => ({ id }))) }
}

/** Until when an account has paid for these subscriptions, and how they ended, each by `membership:` and its id. */
export function membershipsOf(address: string, rows: readonly { readonly id: string }[]): PageReads {
  return byKey('membership', unique(rows.map(({ id }) => id)), (id) => ({
    operation: 'get_membership',
    input: { id, address },
  }))
}

/** The first day of a day's week or month, so that the intervals of a chart are all whole but the last. */
export function startOf(interval: 'week' | 'month', dayNumber: number): number {
  const day = Math.max(0, dayNumber)
  // 1970 began on a Thursday; weeks begin on Mondays.
  if (interval === 'week') return Math.max(0, day - ((day + 3) % 7))
  return day - (new Date(day * 86_400_000).getUTCDate() - 1)
}

/** The date of a day, as YYYY-MM-DD. */
export function dateOf(dayNumber: number): string {
  return new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)
}

function byKey(
  name: string,
  values: readonly string[],
  read: (value: string) => PageReads[string],
): PageReads {
  return Object.fromEntries(values.map((value) => [`${name}:${value}`, read(value)]))
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
