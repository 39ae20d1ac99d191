import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'

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

export class CountChanges {
  readonly asSubscriber = new Counter()
  readonly asProvider = new Counter()
  readonly tokens = new Counter()
  readonly subscribers = new Counter()
}

/** Adds the changes to the counts in the store. Only subscribers may become fewer: a count of zero has no row. */
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
  const members = subscribers.nonZero().map(({ key, count }) => ({
    chain_id: chainId,
    subscription_id: key,
    subscribers: count,
  }))
  await addCounts(db, 'subscriber_counts', ['chain_id', 'subscription_id'], ['subscribers'], members)
  const fewer = members.flatMap((row) => (row.subscribers < 0 ? [row.subscription_id] : []))
  await inChunks(fewer, (ids) =>
    db
      .deleteFrom('subscriber_counts')
      .where('chain_id', '=', chainId)
      .where('subscription_id', 'in', ids)
      .where('subscribers', '=', 0)
      .execute(),
  )
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
