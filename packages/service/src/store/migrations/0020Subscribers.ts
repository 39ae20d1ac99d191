import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * The number of subscribers stands in the subscription's own row, so that subscriptions can be read in its order. A table of
 * its own had it before.
 */
export async function addSubscribers(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .alterTable('subscriptions')
    .addColumn('subscribers', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update subscriptions set subscribers = counts.subscribers from subscriber_counts as counts
    where counts.chain_id = subscriptions.chain_id and counts.subscription_id = subscriptions.id`.execute(db)
  await db.schema.dropTable('subscriber_counts').execute()
  const place = ['subscribers', 'created_block', 'created_log_index']
  for (const filters of [[], ['token'], ['frequency'], ['token', 'frequency'], ['provider']]) {
    await db.schema
      .createIndex(['subscriptions_by', ...filters, 'subscribers'].join('_'))
      .on('subscriptions')
      .columns(['chain_id', 'cancelled', ...filters, ...place])
      .execute()
  }
}
