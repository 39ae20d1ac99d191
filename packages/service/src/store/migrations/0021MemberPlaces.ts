import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Where members stood in lists before a sweep moved them: a list is read as it was when its first page was. */
export async function addMemberPlaces(db: Transaction<Tables>): Promise<void> {
  for (const [table, column] of [
    ['verdicts', 'placed_at'],
    ['index_chains', 'placings'],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
      .execute()
  }
  await db.schema
    .createTable('former_places')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('subscriber', 'text', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('placed_at', 'bigint', (column) => column.notNull())
    .addColumn('left_at', 'bigint', (column) => column.notNull())
    .addColumn('first_day', 'bigint')
    .addColumn('trouble_day', 'bigint')
    .addPrimaryKeyConstraint('former_places_key', ['chain_id', 'subscriber', 'subscription_id', 'placed_at'])
    .execute()
  for (const [name, columns] of [
    ['age', ['left_at']],
    ['provider', ['provider', 'left_at']],
  ] as const) {
    await sql`create index ${sql.ref(`former_places_by_${name}`)} on former_places
      (chain_id, ${sql.join(columns.map((column) => sql.ref(column)))})`.execute(db)
  }
}
