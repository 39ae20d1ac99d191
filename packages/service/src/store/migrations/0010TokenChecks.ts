import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * What the last trial of each token showed: the index's sweep simulates a transfer at a block, and compares the balances with the Transfer
 * log (tokenChecks.ts). `differs` is 1 where they disagree. The index by block is for rollbacks, which delete what lost blocks showed.
 */
export async function createTokenChecks(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('token_checks')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('block_timestamp', 'bigint', (column) => column.notNull())
    .addColumn('differs', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('token_checks_key', ['chain_id', 'token'])
    .execute()
  await db.schema
    .createIndex('token_checks_by_block')
    .on('token_checks')
    .columns(['chain_id', 'block_number'])
    .execute()
}
