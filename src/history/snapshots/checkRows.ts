import { sql } from 'kysely'
import type { Queries } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import type { SnapshotHeader } from './SnapshotHeader.ts'

/** Two figures that are equal in every index: counts that are kept, and the rows that they count. */
const TALLIES = [
  ['the events of providers', 'sum(as_provider) from account_counts', 'count(*) from events'],
  [
    'the events of subscribers',
    'sum(as_subscriber) from account_counts',
    `count(account) from (select chain_id, subscriber as account from events
      union all select chain_id, owner from approvals) named`,
  ],
  ['the subscriptions by token', 'sum(subscriptions) from token_counts', 'count(*) from subscriptions'],
  [
    'the members',
    'sum(subscribers) from subscriber_counts',
    'sum(case when status = 0 then 1 else 0 end) from memberships',
  ],
] as const

/** Whatever was logged later than the block that the snapshot stands at is wrong. */
const PLACES = [
  ['events', 'block_number'],
  ['approvals', 'block_number'],
  ['details_logs', 'block_number'],
  ['profile_logs', 'block_number'],
  ['subscriptions', 'created_block'],
  ['index_blocks', 'number'],
  ['event_log', 'block_number'],
] as const

/** Checks that the imported rows fit each other. Throws StoreError if not. */
export async function checkRows(db: Queries, { chainId, firstBlock, block }: SnapshotHeader): Promise<void> {
  for (const [what, kept, counted] of TALLIES) {
    const figures = await Promise.all([kept, counted].map((figure) => readFigure(db, chainId, figure)))
    if (figures[0] === figures[1]) continue
    throw new StoreError(
      `The snapshot contradicts itself: ${what} are ${figures[0]}, and its rows are ${figures[1]}.`,
    )
  }
  for (const [table, column] of PLACES) {
    const last = await readFigure(db, chainId, `max(${column}) from ${table}`)
    const first = (await readFigure(db, chainId, `min(${column}) from ${table}`)) || firstBlock
    if (last <= block.number && first >= firstBlock - 1) continue
    throw new StoreError(
      `The snapshot contradicts itself: it has rows in ${table} that are not in blocks ${firstBlock} to ${block.number}.`,
    )
  }
}

/** 0 if there is no row. */
async function readFigure(db: Queries, chainId: number, figure: string): Promise<number> {
  const asked = sql<{ figure: number | string | bigint | null }>`
    select ${sql.raw(figure.replace(' from ', ' as figure from '))} where chain_id = ${chainId}`
  const { rows } = await asked.execute(db)
  return Number(rows[0]?.figure ?? 0)
}
