import type { Transaction } from 'kysely'
import { SUBSCRIPT_EVENT_NUMBERS } from '../../../protocol/logs/subscriptEvent.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'
import { Counter } from './counts.ts'
import type { MemberChange, MembershipEvent } from './memberships.ts'

const { Cancelled } = SUBSCRIPT_EVENT_NUMBERS

/**
 * How a step changes the number of active members of subscriptions that are not cancelled. A cancellation ends them all.
 * It is asked before the step's own cancellations and counts are written.
 * @param turns of the step's memberships
 */
export async function liveChanges(
  db: Transaction<Tables>,
  chainId: number,
  events: readonly MembershipEvent[],
  turns: readonly MemberChange[],
): Promise<readonly MemberChange[]> {
  const cancellations = events.filter(({ event }) => event === Cancelled)
  const cancelling = [...new Set(cancellations.map(({ subscription_id }) => subscription_id))]
  const touched = [...new Set([...cancelling, ...turns.map(({ subscriptionId }) => subscriptionId)])]
  const members = new Counter()
  await inChunks(cancelling, async (ids) => {
    const rows = await db
      .selectFrom('subscriber_counts')
      .select(['subscription_id', 'subscribers'])
      .where('chain_id', '=', chainId)
      .where('subscription_id', 'in', ids)
      .execute()
    for (const { subscription_id, subscribers } of rows) members.add(subscription_id, subscribers)
  })
  const cancelled = new Set<string>()
  await inChunks(touched, async (ids) => {
    const rows = await db
      .selectFrom('subscriptions')
      .select('id')
      .where('chain_id', '=', chainId)
      .where('id', 'in', ids)
      .where('cancelled', '=', 1)
      .execute()
    for (const { id } of rows) cancelled.add(id)
  })
  const turnAt = new Map(turns.map((turn) => [`${turn.blockNumber} ${turn.logIndex}`, turn]))
  const changes: MemberChange[] = []
  for (const { event, subscription_id: subscriptionId, block_number, log_index } of events) {
    if (cancelled.has(subscriptionId)) continue
    const turn = turnAt.get(`${block_number} ${log_index}`)
    if (turn !== undefined) {
      members.add(subscriptionId, turn.members)
      changes.push(turn)
    } else if (event === Cancelled) {
      cancelled.add(subscriptionId)
      const ended = -members.get(subscriptionId)
      changes.push({ subscriptionId, blockNumber: block_number, logIndex: log_index, members: ended })
    }
  }
  return changes
}
