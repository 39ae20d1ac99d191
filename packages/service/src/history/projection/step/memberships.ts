import { SUBSCRIPT_EVENT_NUMBERS } from '@remit/protocol/logs/events'
import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { EventsTable, MembershipsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { Counter } from './counts.ts'

const { Cancelled, Subscribed, Unsubscribed, SubscriberRefunded } = SUBSCRIPT_EVENT_NUMBERS
const { ACTIVE, CANCELLED, UNSUBSCRIBED } = ACCOUNT_STATUS_NUMBERS

// The table `memberships`: a row for each subscription and subscriber, with the account's status in the contract, as events say. First
// how a step's events change it, then the keys and conditions by which other files find its rows, last `liveMemberChanges`.

/** The events that change an account's status. The database's index `events_by_membership` covers exactly these. */
export const DECISIVE: readonly number[] = [Subscribed, Unsubscribed, SubscriberRefunded]

/** DECISIVE in SQL, for `event in`. Literals, not parameters: only then does a database know that its partial index covers these events. */
export const DECISIVE_LIST = sql<number>`(${sql.join(DECISIVE.map((kind) => sql.lit(kind)))})`

export function isDecisive({ event }: { readonly event: number }): boolean {
  return DECISIVE.includes(event)
}

type Membership = Selectable<MembershipsTable>

/** The columns of an event that decide about memberships. */
type MembershipEvent = Pick<
  Insertable<EventsTable>,
  'chain_id' | 'subscription_id' | 'subscriber' | 'event' | 'block_number' | 'log_index'
>

/** Where the number of a subscription's active members changed, and by how much. */
export interface MemberChange {
  readonly subscriptionId: string
  readonly blockNumber: number
  readonly logIndex: number
  /** How many more members there are: +1 where one begins, -1 where one ends, less than that where a cancellation ends all. */
  readonly members: number
}

interface WrittenMemberships {
  /** Each beginning and end of a membership, by its event. */
  readonly changes: readonly MemberChange[]
  /** Active now, and not before. */
  readonly begun: readonly MembershipKey[]
  /** Active before, and not now. */
  readonly ended: readonly MembershipKey[]
}

/**
 * Writes the memberships that events change, given in the order of the chain.
 *
 * An account is a member once it has subscribed. The contract also lets an account unsubscribe that never
 * subscribed; that makes no membership. The clean-up of a cancelled subscription, by the contract's janitor, logs for a
 * member that it unsubscribed, then that it was refunded.
 */
export async function writeMemberships(
  db: Transaction<Tables>,
  chainId: number,
  events: readonly MembershipEvent[],
): Promise<WrittenMemberships> {
  const decisive = events.filter(isDecisive)
  const rows = await readMemberships(db, chainId, keysOf(decisive))
  const before = new Map(rows.map((row) => [nameOf(row), row]))
  const now = new Map(before)
  const changes = decisive.flatMap((event) => applyEvent(now, event))
  const changed = [...now.values()].filter((row) => row.status !== before.get(nameOf(row))?.status)
  await upsertMemberships(db, changed)
  const begun = changed.filter(isActive)
  const ended = changed.filter((row) => isActive(before.get(nameOf(row))))
  return { changes, begun, ended }
}

/** The memberships that rows are about, each once. */
export function keysOf(
  rows: readonly { readonly subscription_id: string; readonly subscriber?: string | null }[],
): readonly MembershipKey[] {
  const keys = new Map<string, MembershipKey>()
  for (const { subscription_id, subscriber } of rows) {
    if (subscriber) keys.set(nameOf({ subscription_id, subscriber }), { subscription_id, subscriber })
  }
  return [...keys.values()]
}

/** Applies one event to `now`. @returns the beginning or end of a membership that it is, if it is one */
function applyEvent(now: Map<string, Membership>, row: MembershipEvent): MemberChange[] {
  const { chain_id, subscription_id, subscriber, event, block_number, log_index } = row
  if (!subscriber) return []
  const key = { subscription_id, subscriber }
  const member = now.get(nameOf(key))
  if (member !== undefined) now.set(nameOf(key), { ...member, status: statusAfter(event) })
  else if (event === Subscribed) {
    const first = { first_block: block_number, first_log_index: log_index }
    now.set(nameOf(key), { chain_id, ...key, status: ACTIVE, ...first })
  }
  const members = Number(isActive(now.get(nameOf(key)))) - Number(isActive(member))
  if (members === 0) return []
  return [{ subscriptionId: subscription_id, blockNumber: block_number, logIndex: log_index, members }]
}

/** Only the clean-up of a cancelled subscription refunds a subscriber, so who is refunded was a member until then. */
function statusAfter(event: number): number {
  if (event === Subscribed) return ACTIVE
  return event === SubscriberRefunded ? CANCELLED : UNSUBSCRIBED
}

function isActive(row: Membership | undefined): boolean {
  return row?.status === ACTIVE
}

function nameOf({ subscription_id, subscriber }: MembershipKey): string {
  return `${subscription_id} ${subscriber}`
}

export type MembershipKey = Pick<Selectable<MembershipsTable>, 'subscription_id' | 'subscriber'>

async function readMemberships(
  db: Transaction<Tables>,
  chainId: number,
  keys: readonly MembershipKey[],
): Promise<readonly Selectable<MembershipsTable>[]> {
  const found: Selectable<MembershipsTable>[] = []
  await inChunks(keys, async (chunk) => {
    const rows = await db
      .selectFrom('memberships')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where(isOneOf(chunk))
      .execute()
    found.push(...rows)
  })
  return found
}

async function upsertMemberships(
  db: Transaction<Tables>,
  rows: readonly Selectable<MembershipsTable>[],
): Promise<void> {
  await inChunks(rows, (chunk) =>
    db
      .insertInto('memberships')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['chain_id', 'subscriber', 'subscription_id'])
          .doUpdateSet((set) => ({ status: set.ref('excluded.status') })),
      )
      .execute(),
  )
}

/**
 * Whether a row is of one of the memberships, in a form that both databases accept: SQLite takes `in (values …)` but no list
 * of pairs.
 */
export function isOneOf(keys: readonly MembershipKey[]): RawBuilder<SqlBool> {
  const pairs = keys.map(({ subscription_id, subscriber }) => sql`(${subscription_id}, ${subscriber})`)
  return sql`(${sql.ref('subscription_id')}, ${sql.ref('subscriber')}) in (values ${sql.join(pairs)})`
}

/**
 * How a step changes the number of active members of subscriptions that are not cancelled, for the sums of a day. A cancellation ends
 * all memberships at once, and what members do afterwards changes nothing. Call it before the step's own cancellations and counts are
 * written: it reads from the store what was so before the step.
 * @param memberChanges the step's, as `writeMemberships` returned them
 */
export async function liveMemberChanges(
  db: Transaction<Tables>,
  chainId: number,
  events: readonly MembershipEvent[],
  memberChanges: readonly MemberChange[],
): Promise<readonly MemberChange[]> {
  const cancellations = events.filter(({ event }) => event === Cancelled)
  const cancelling = [...new Set(cancellations.map(({ subscription_id }) => subscription_id))]
  const touched = [...new Set([...cancelling, ...memberChanges.map(({ subscriptionId }) => subscriptionId)])]
  // What the store says before the step: members of what is about to be cancelled, and what was cancelled already.
  const members = new Counter()
  await inChunks(cancelling, async (ids) => {
    const rows = await db
      .selectFrom('subscriptions')
      .select(['id', 'subscribers'])
      .where('chain_id', '=', chainId)
      .where('id', 'in', ids)
      .execute()
    for (const { id, subscribers } of rows) members.add(id, subscribers)
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
  // Then the step's events, in the order of the chain.
  const changeAt = new Map(
    memberChanges.map((change) => [`${change.blockNumber} ${change.logIndex}`, change]),
  )
  const changes: MemberChange[] = []
  for (const { event, subscription_id: subscriptionId, block_number, log_index } of events) {
    if (cancelled.has(subscriptionId)) continue
    const change = changeAt.get(`${block_number} ${log_index}`)
    if (change !== undefined) {
      members.add(subscriptionId, change.members)
      changes.push(change)
    } else if (event === Cancelled) {
      cancelled.add(subscriptionId)
      const ended = -members.get(subscriptionId)
      changes.push({ subscriptionId, blockNumber: block_number, logIndex: log_index, members: ended })
    }
  }
  return changes
}
