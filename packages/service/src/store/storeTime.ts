import { type RawBuilder, sql } from 'kysely'
import type { Store } from './openStore.ts'

/**
 * Unix milliseconds of the store's clock, `ms` from now. Several processes hold leases against each other, and only the
 * store's clock is the same for all of them. SQLite has no processes elsewhere, so this machine's clock is its own.
 *
 * @param now the machine's clock
 */
export function storeTime(kind: Store['kind'], ms: number, now: () => number = Date.now): RawBuilder<number> {
  if (kind === 'sqlite') return sql<number>`${now() + ms}`
  return sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${ms}`
}
