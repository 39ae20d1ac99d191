import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The tables of the sweep: what will become of each membership's charges, and sums of that by day. */
export async function createVerdicts(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('verdicts')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('subscriber', 'text', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('frequency', 'integer', (column) => column.notNull())
    .addColumn('due_day', 'integer', (column) => column.notNull())
    .addColumn('sweep_at', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint')
    .addColumn('block_timestamp', 'bigint')
    .addColumn('first_day', 'bigint')
    .addColumn('charges', 'text')
    .addColumn('trouble', 'integer')
    .addColumn('trouble_day', 'bigint')
    .addColumn('missing_allowance', 'text')
    .addColumn('missing_balance', 'text')
    .addPrimaryKeyConstraint('verdicts_key', ['chain_id', 'subscriber', 'subscription_id'])
    .execute()
  await db.schema
    .createIndex('verdicts_by_sweep')
    .on('verdicts')
    .columns(['chain_id', 'sweep_at', 'subscriber'])
    .execute()
  // A step forgets what was read of the payers in its events. While an index is filled there is none, and it costs nothing.
  await db.schema
    .createIndex('verdicts_by_payer')
    .on('verdicts')
    .columns(['chain_id', 'subscriber'])
    .where(sql.ref('sweep_at'), '>', sql.lit(0))
    .execute()
  // A rollback finds what was read at blocks that are gone.
  await db.schema
    .createIndex('verdicts_by_block')
    .on('verdicts')
    .columns(['chain_id', 'block_number'])
    .where(sql.ref('block_number'), 'is not', null)
    .execute()
  for (const scope of ['provider', 'subscription_id'] as const) {
    await db.schema
      .createIndex(`verdicts_by_${scope}_block`)
      .on('verdicts')
      .columns(['chain_id', scope, 'block_number'])
      .where(sql.ref('block_number'), 'is not', null)
      .execute()
    await db.schema
      .createIndex(`verdicts_by_${scope}_trouble`)
      .on('verdicts')
      .columns(['chain_id', scope, 'trouble_day', 'subscriber', 'subscription_id'])
      .where(sql.ref('trouble_day'), 'is not', null)
      .execute()
  }
  await db.schema
    .createIndex('verdicts_blocked')
    .on('verdicts')
    .columns(['chain_id', 'trouble_day'])
    .where(sql.ref('trouble'), '=', sql.lit(4))
    .execute()

  await db.schema
    .createTable('verdict_counts')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('day_number', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'integer', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('verdict_counts_key', [
      'chain_id',
      'provider',
      'subscription_id',
      'day_number',
      'kind',
    ])
    .execute()
}
