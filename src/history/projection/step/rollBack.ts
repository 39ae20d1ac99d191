import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { uncover } from '../approvals/coverage.ts'
import { loseApprovals } from '../approvals/writeApprovals.ts'
import { inChunks } from '../inChunks.ts'
import type { CountChanges } from './counts.ts'
import type { MembershipKey } from './membershipRows.ts'
import { DECISIVE } from './memberships.ts'

/** Blocks for which a reorg is remembered, so that a cursor from before it is refused: days on a fast chain, weeks on a
 * slow one. No caller pages through a list for that long. */
const REMEMBERED_LOSSES = 100_000

/**
 * Deletes all that was logged above a block. Memberships, counts and payments are left to the caller.
 * @param changes is given what must be subtracted from the counts
 * @returns the membership of each deleted event that decides a membership's status, and the subscriptions whose
 * cancellation is gone
 */
export async function rollBack(
  db: Transaction<Tables>,
  chainId: number,
  ancestor: number,
  changes: CountChanges,
): Promise<{ members: readonly MembershipKey[]; revived: readonly string[] }> {
  const lost = db.selectFrom('events').where('chain_id', '=', chainId).where('block_number', '>', ancestor)
  for (const [role, counter] of [
    ['provider', changes.asProvider],
    ['subscriber', changes.asSubscriber],
  ] as const) {
    // An expression instead of the column: otherwise a database would walk the column's whole index, because it
    // has the groups in order.
    const account = sql<string | null>`${sql.ref(role)} || ''`
    const rows = await lost
      .select((row) => [account.as('account'), row.fn.countAll<number>().as('count')])
      .groupBy(account)
      .execute()
    for (const { account, count } of rows) if (account !== null) counter.add(account, -Number(count))
  }
  const members = await lost
    .select(['subscription_id', 'subscriber'])
    .where('event', 'in', DECISIVE)
    .execute()

  const tokens = await db
    .deleteFrom('subscriptions')
    .where('chain_id', '=', chainId)
    .where('cancelled', 'in', [0, 1])
    .where('created_block', '>', ancestor)
    .returning('token')
    .execute()
  for (const { token } of tokens) changes.tokens.add(token, -1)
  const revived = await db
    .updateTable('subscriptions')
    .set({ cancelled: 0, cancelled_block: null })
    .where('chain_id', '=', chainId)
    .where('cancelled_block', '>', ancestor)
    .returning('id')
    .execute()
  for (const table of [
    'events',
    'details_logs',
    'profile_logs',
    'checked_days',
    'unstated_tokens',
    'token_checks',
  ] as const) {
    await db.deleteFrom(table).where('chain_id', '=', chainId).where('block_number', '>', ancestor).execute()
  }
  await loseApprovals(db, chainId, ancestor, changes.asSubscriber)
  await uncover(db, chainId, ancestor)
  await loseBlocks(db, chainId, ancestor)
  return {
    members: members.flatMap(({ subscription_id, subscriber }) =>
      subscriber === null ? [] : [{ subscription_id, subscriber }],
    ),
    revived: revived.map(({ id }) => id),
  }
}

/** Moves the lost blocks to `lost_blocks` for a while, so that their cursors are known to be stale. */
async function loseBlocks(db: Transaction<Tables>, chainId: number, ancestor: number): Promise<void> {
  const lost = await db
    .deleteFrom('index_blocks')
    .where('chain_id', '=', chainId)
    .where('number', '>', ancestor)
    .returning(['chain_id', 'number', 'hash'])
    .execute()
  await inChunks(lost, (chunk) =>
    db
      .insertInto('lost_blocks')
      .values(chunk)
      .onConflict((row) => row.doNothing())
      .execute(),
  )
  await db
    .deleteFrom('lost_blocks')
    .where('chain_id', '=', chainId)
    .where('number', '<=', ancestor - REMEMBERED_LOSSES)
    .execute()
}
