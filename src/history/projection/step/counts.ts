import type { Transaction } from 'kysely'
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

/** How a step changes the counts in the store. */
export class CountChanges {
  readonly asSubscriber = new Counter()
  readonly asProvider = new Counter()
  readonly tokens = new Counter()
  readonly subscribers = new Counter()
}

/** Adds the changes to the counts in the store. Only the subscribers of a subscription may become fewer: none have no row. */
export async function writeCounts(
  db: Transaction<Tables>,
  chainId: number,
  changes: CountChanges,
): Promise<void> {
  await writeAccountCounts(db, chainId, changes)
  await writeTokenCounts(db, chainId, changes.tokens)
  await writeSubscriberCounts(db, chainId, changes.subscribers)
}

async function writeAccountCounts(db: Transaction<Tables>, chainId: number, changes: CountChanges) {
  const accounts = new Set([...changes.asSubscriber.keys(), ...changes.asProvider.keys()])
  const rows = [...accounts].map((account) => ({
    chain_id: chainId,
    account,
    as_subscriber: changes.asSubscriber.get(account),
    as_provider: changes.asProvider.get(account),
  }))
  await inChunks(rows, (chunk) =>
    db
      .insertInto('account_counts')
      .values(chunk)
      .onConflict((row) =>
        row.columns(['chain_id', 'account']).doUpdateSet((set) => ({
          as_subscriber: set('account_counts.as_subscriber', '+', set.ref('excluded.as_subscriber')),
          as_provider: set('account_counts.as_provider', '+', set.ref('excluded.as_provider')),
        })),
      )
      .execute(),
  )
}

async function writeTokenCounts(db: Transaction<Tables>, chainId: number, tokens: Counter) {
  const rows = tokens.nonZero().map(({ key, count }) => ({
    chain_id: chainId,
    token: key,
    subscriptions: count,
  }))
  await inChunks(rows, (chunk) =>
    db
      .insertInto('token_counts')
      .values(chunk)
      .onConflict((row) =>
        row.columns(['chain_id', 'token']).doUpdateSet((set) => ({
          subscriptions: set('token_counts.subscriptions', '+', set.ref('excluded.subscriptions')),
        })),
      )
      .execute(),
  )
}

async function writeSubscriberCounts(db: Transaction<Tables>, chainId: number, subscribers: Counter) {
  const rows = subscribers.nonZero().map(({ key, count }) => ({
    chain_id: chainId,
    subscription_id: key,
    subscribers: count,
  }))
  await inChunks(rows, (chunk) =>
    db
      .insertInto('subscriber_counts')
      .values(chunk)
      .onConflict((row) =>
        row.columns(['chain_id', 'subscription_id']).doUpdateSet((set) => ({
          subscribers: set('subscriber_counts.subscribers', '+', set.ref('excluded.subscribers')),
        })),
      )
      .execute(),
  )
  const fewer = rows.filter(({ subscribers }) => subscribers < 0)
  await inChunks(fewer, (chunk) =>
    db
      .deleteFrom('subscriber_counts')
      .where('chain_id', '=', chainId)
      .where(
        'subscription_id',
        'in',
        chunk.map(({ subscription_id }) => subscription_id),
      )
      .where('subscribers', '=', 0)
      .execute(),
  )
}
