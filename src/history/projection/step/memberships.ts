import type { Insertable, Selectable, Transaction } from 'kysely'
import { SUBSCRIPT_EVENT_NUMBERS } from '../../../protocol/logs/subscriptEvent.ts'
import { ACCOUNT_STATUS_NUMBERS } from '../../../protocol/subscription.ts'
import type { EventsTable, MembershipsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import type { Counter } from './counts.ts'
import { LiveMembers, type MemberChange } from './LiveMembers.ts'
import {
  deleteMemberships,
  findDecisiveEvent,
  type MembershipKey,
  readMemberships,
  upsertMemberships,
} from './membershipRows.ts'

const { Cancelled, Subscribed, Unsubscribed, SubscriberRefunded } = SUBSCRIPT_EVENT_NUMBERS
const { ACTIVE, CANCELLED, UNSUBSCRIBED } = ACCOUNT_STATUS_NUMBERS

/** The SubLogs that change an account's status. The database's index `events_by_membership` covers exactly these. */
export const DECISIVE = [Subscribed, Unsubscribed, SubscriberRefunded] as const

type Membership = Selectable<MembershipsTable>

/** What a step does to memberships. */
interface MembershipChanges {
  /** The memberships whose decisive events above `ancestor` a rollback has deleted. May name one several times. */
  readonly lost: readonly MembershipKey[]
  readonly ancestor: number
  readonly events: readonly Insertable<EventsTable>[]
}

/** What became of memberships in a step. */
interface WrittenMemberships {
  /** The changes in the number of members of subscriptions that are not cancelled. A cancellation ends them all. */
  readonly members: readonly MemberChange[]
  /** Each beginning and end of a membership, by its event. */
  readonly turns: readonly MemberChange[]
  /** Active now, and not before the step, or only by events that a rollback has deleted. */
  readonly begun: readonly MembershipKey[]
  /** Active before the step, and not now, or not by the same events. */
  readonly ended: readonly MembershipKey[]
}

/**
 * Writes the memberships that a step changes.
 *
 * An account is a member once it has subscribed. The contract also lets an account unsubscribe that never
 * subscribed; that makes no membership. The janitor's cleanup logs for a member that it unsubscribed, then that it
 * was refunded.
 * @param subscribers is given the change in the number of active subscribers
 */
export async function writeMemberships(
  db: Transaction<Tables>,
  chainId: number,
  { lost, ancestor, events }: MembershipChanges,
  subscribers: Counter,
): Promise<WrittenMemberships> {
  const keys = new Map(membershipKeys(lost, events).map((key) => [nameOf(key), key]))
  const before = await readMemberships(db, chainId, [...keys.values()])
  const now = new Map(before.map((row) => [nameOf(row), row]))
  for (const name of new Set(lost.map(nameOf))) await recompute(db, now, ancestor, name)
  const forgotten = new Set(lost.map(nameOf))
  const old = new Map(before.map((row) => [nameOf(row), row]))
  const live = await LiveMembers.at(db, chainId, ancestor, events)
  for (const [name, { subscription_id }] of keys) {
    live.add(subscription_id, activeIn(now.get(name)) - activeIn(old.get(name)))
  }
  for (const event of events) {
    if (event.event === Cancelled) live.cancel(event)
    else if (DECISIVE.some((kind) => kind === event.event)) live.change(event, follow(now, event))
  }

  for (const [name, { subscription_id }] of keys) {
    subscribers.add(subscription_id, activeIn(now.get(name)) - activeIn(old.get(name)))
  }
  const gone = before.filter((row) => !now.has(nameOf(row)))
  await deleteMemberships(db, chainId, gone)
  const changed = [...now.values()].filter((row) => !isSame(row, old.get(nameOf(row))))
  await upsertMemberships(db, changed)
  const isActive = (row: Membership | undefined) => activeIn(row) === 1
  const all = [...keys]
  const isOther = (name: string) => forgotten.has(name) || isActive(old.get(name)) !== isActive(now.get(name))
  const other = all.filter(([name]) => isOther(name))
  const keysOf = (rows: Map<string, Membership>) =>
    other.filter(([name]) => isActive(rows.get(name))).map(([, key]) => key)
  return { members: live.changes, turns: live.turns, begun: keysOf(now), ended: keysOf(old) }
}

/** The memberships that a step may begin or end, each once. */
function membershipKeys(
  lost: MembershipChanges['lost'],
  events: MembershipChanges['events'],
): readonly MembershipKey[] {
  const keys = new Map(lost.map((key) => [nameOf(key), key]))
  for (const { subscription_id, subscriber } of decisiveOf(events)) {
    if (subscriber) keys.set(nameOf({ subscription_id, subscriber }), { subscription_id, subscriber })
  }
  return [...keys.values()]
}

function decisiveOf(events: MembershipChanges['events']) {
  return events.filter(({ event }) => DECISIVE.some((kind) => kind === event))
}

/** Derives a membership again from its events up to the ancestor. */
async function recompute(
  db: Transaction<Tables>,
  now: Map<string, Membership>,
  ancestor: number,
  name: string,
): Promise<void> {
  const row = now.get(name)
  if (row === undefined) return
  const event = row.first_block > ancestor ? undefined : await findDecisiveEvent(db, row, DECISIVE, ancestor)
  if (event === undefined) now.delete(name)
  else now.set(name, { ...row, status: statusAfter(event) })
}

/** @returns the change in the number of active members */
function follow(now: Map<string, Membership>, row: Insertable<EventsTable>): number {
  const { chain_id, subscription_id, subscriber, event, block_number, log_index } = row
  if (!subscriber) return 0
  const key = { subscription_id, subscriber }
  const member = now.get(nameOf(key))
  if (member !== undefined) now.set(nameOf(key), { ...member, status: statusAfter(event) })
  else if (event === Subscribed) {
    const first = { first_block: block_number, first_log_index: log_index }
    now.set(nameOf(key), { chain_id, ...key, status: ACTIVE, ...first })
  }
  return activeIn(now.get(nameOf(key))) - activeIn(member)
}

function statusAfter(event: number): number {
  if (event === Subscribed) return ACTIVE
  return event === SubscriberRefunded ? CANCELLED : UNSUBSCRIBED
}

function activeIn(row: Membership | undefined): number {
  return row?.status === ACTIVE ? 1 : 0
}

function isSame(row: Membership, old: Membership | undefined): boolean {
  return (
    row.status === old?.status &&
    row.first_block === old.first_block &&
    row.first_log_index === old.first_log_index
  )
}

function nameOf({ subscription_id, subscriber }: MembershipKey): string {
  return `${subscription_id} ${subscriber}`
}
