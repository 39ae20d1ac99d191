import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

// Counts that are kept beside the rows, so that no answer counts rows one by one. A step and a rollback add their changes up
// in memory (`CountChanges`), and write each count once.

/** Adds up changes by key, so that each key is written once. */
export class Counter {
  readonly #counts = new Map<string, number>()

  add(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys()
  }

  /** The keys whose changes do not add up to zero. */
  nonZero(): { key: string; count: number }[] {
    return [...this.#counts].filter(([, count]) => count !== 0).map(([key, count]) => ({ key, count }))
  }
}

/**
 * Changes of the stored counts: an account's events as subscriber and as provider, a token's subscriptions, a subscription's
 * subscribers.
 */
export class CountChanges {
  readonly asSubscriber = new Counter()
  readonly asProvider = new Counter()
  readonly tokens = new Counter()
  readonly subscribers = new Counter()
}

/** Adds the changes to the counts in the store. */
export async function writeCounts(
  db: Transaction<Tables>,
  chainId: number,
  { asSubscriber, asProvider, tokens, subscribers }: CountChanges,
): Promise<void> {
  const accounts = [...new Set([...asSubscriber.keys(), ...asProvider.keys()])].map((account) => ({
    chain_id: chainId,
    account,
    as_subscriber: asSubscriber.get(account),
    as_provider: asProvider.get(account),
  }))
  await addCounts(db, 'account_counts', ['chain_id', 'account'], ['as_subscriber', 'as_provider'], accounts)
  const created = tokens.nonZero().map(({ key, count }) => ({
    chain_id: chainId,
    token: key,
    subscriptions: count,
  }))
  await addCounts(db, 'token_counts', ['chain_id', 'token'], ['subscriptions'], created)
  await inChunks(subscribers.nonZero(), (chunk) => {
    const pairs = chunk.map(({ key, count }) => sql`(${key}, ${count})`)
    // Both databases name the columns of a values list column1 and column2.
    return sql`update subscriptions set subscribers = subscribers + cast(changed.column2 as bigint)
      from (values ${sql.join(pairs)}) as changed
      where chain_id = ${chainId} and id = changed.column1`.execute(db)
  })
}

/** Adds to the counts of these keys, and makes the rows that are not there yet. */
export async function addCounts<Row extends Readonly<Record<string, string | number>>>(
  db: Transaction<Tables>,
  table: keyof Tables,
  key: readonly (keyof Row & string)[],
  counts: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Promise<void> {
  const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const columns = [...key, ...counts]
  const sums = counts.map(
    (column) => sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
  )
  await inChunks(rows, (chunk) => {
    const values = chunk.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    return sql`
      insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(values)}
      on conflict (${list(key)}) do update set ${sql.join(sums)}`.execute(db)
  })
}
