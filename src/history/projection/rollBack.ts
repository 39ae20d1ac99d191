import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import type { CountChanges } from './counts.ts'
import type { MembershipKey } from './membershipRows.ts'
import { DECISIVE } from './memberships.ts'

/**
 * Takes away all that was logged above a block, but for memberships and counts.
 * @param changes takes down what is counted no more
 * @returns the memberships that something was taken from
 */
export async function rollBack(
  db: Transaction<Tables>,
  chainId: number,
  ancestor: number,
  changes: CountChanges,
): Promise<readonly MembershipKey[]> {
  const lost = db.selectFrom('events').where('chain_id', '=', chainId).where('block_number', '>', ancestor)
  const providers = await lost
    .select((row) => ['provider', row.fn.countAll<number>().as('count')])
    .groupBy('provider')
    .execute()
  for (const { provider, count } of providers) changes.asProvider.add(provider, -Number(count))
  const subscribers = await lost
    .select((row) => ['subscriber', row.fn.countAll<number>().as('count')])
    .where('subscriber', 'is not', null)
    .groupBy('subscriber')
    .execute()
  for (const { subscriber, count } of subscribers) {
    if (subscriber !== null) changes.asSubscriber.add(subscriber, -Number(count))
  }
  const members = await lost
    .select(['subscription_id', 'subscriber'])
    .distinct()
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
  await db
    .updateTable('subscriptions')
    .set({ cancelled: 0, cancelled_block: null })
    .where('chain_id', '=', chainId)
    .where('cancelled_block', '>', ancestor)
    .execute()
  for (const table of ['events', 'details_logs', 'profile_logs'] as const) {
    await db.deleteFrom(table).where('chain_id', '=', chainId).where('block_number', '>', ancestor).execute()
  }
  await db.deleteFrom('index_blocks').where('chain_id', '=', chainId).where('number', '>', ancestor).execute()
  return members.flatMap(({ subscription_id, subscriber }) =>
    subscriber === null ? [] : [{ subscription_id, subscriber }],
  )
}
