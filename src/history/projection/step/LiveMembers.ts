import type { Insertable, Transaction } from 'kysely'
import { SUBSCRIPT_EVENT_NUMBERS } from '../../../protocol/logs/subscriptEvent.ts'
import type { EventsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'
import { Counter } from './counts.ts'

/** Where an event of a step changed the number of active members, and by how much. */
export interface MemberChange {
  readonly blockNumber: number
  readonly logIndex: number
  readonly members: number
}

type Event = Insertable<EventsTable>

/** The active members of subscriptions that are not cancelled, event by event. */
export class LiveMembers {
  readonly changes: MemberChange[] = []
  /** The beginnings and ends of memberships, also of subscriptions that are cancelled. */
  readonly turns: MemberChange[] = []
  /** Of subscriptions that the step cancels. */
  readonly #members: Counter
  readonly #cancelled: Set<string>

  private constructor(members: Counter, cancelled: Set<string>) {
    this.#members = members
    this.#cancelled = cancelled
  }

  /** As they were at the ancestor, by counts that are not rolled back yet: `add` corrects them. */
  static async at(
    db: Transaction<Tables>,
    chainId: number,
    ancestor: number,
    events: readonly Event[],
  ): Promise<LiveMembers> {
    const members = new Counter()
    const cancelling = idsOf(events.filter(({ event }) => event === SUBSCRIPT_EVENT_NUMBERS.Cancelled))
    await inChunks(cancelling, async (chunk) => {
      const rows = await db
        .selectFrom('subscriber_counts')
        .select(['subscription_id', 'subscribers'])
        .where('chain_id', '=', chainId)
        .where(
          'subscription_id',
          'in',
          chunk.map(({ id }) => id),
        )
        .execute()
      for (const { subscription_id, subscribers } of rows) members.add(subscription_id, subscribers)
    })
    const cancelled = new Set<string>()
    await inChunks(idsOf(events), async (chunk) => {
      const rows = await db
        .selectFrom('subscriptions')
        .select('id')
        .where('chain_id', '=', chainId)
        .where(
          'id',
          'in',
          chunk.map(({ id }) => id),
        )
        .where('cancelled_block', '<=', ancestor)
        .execute()
      for (const { id } of rows) cancelled.add(id)
    })
    return new LiveMembers(members, cancelled)
  }

  add(subscriptionId: string, members: number): void {
    this.#members.add(subscriptionId, members)
  }

  change({ subscription_id, block_number, log_index }: Event, members: number): void {
    this.#members.add(subscription_id, members)
    if (members === 0) return
    const turn = { blockNumber: block_number, logIndex: log_index, members }
    this.turns.push(turn)
    if (!this.#cancelled.has(subscription_id)) this.changes.push(turn)
  }

  cancel({ subscription_id, block_number, log_index }: Event): void {
    if (this.#cancelled.has(subscription_id)) return
    this.#cancelled.add(subscription_id)
    const members = -this.#members.get(subscription_id)
    this.changes.push({ blockNumber: block_number, logIndex: log_index, members })
  }
}

function idsOf(events: readonly Event[]): { id: string }[] {
  return [...new Set(events.map(({ subscription_id }) => subscription_id))].map((id) => ({ id }))
}
