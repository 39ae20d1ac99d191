import type { Insertable, Selectable, Transaction } from 'kysely'
import type { EventsTable, MembershipsTable, Tables } from '../../../store/tables.ts'
import type { Counter } from './counts.ts'
import {
  deleteMemberships,
  findDecisiveEvent,
  type MembershipKey,
  readMemberships,
  upsertMemberships,
} from './membershipRows.ts'

const SUBSCRIBED = 6
const UNSUBSCRIBED = 7
const REFUNDED = 9

/** The SubLogs that change an account's status. The database's index `events_by_membership` covers exactly these. */
export const DECISIVE = [SUBSCRIBED, UNSUBSCRIBED, REFUNDED] as const

const ACTIVE = 0
const CANCELLED = 1
const LEFT = 2

type Membership = Selectable<MembershipsTable>

/** What a step does to memberships. */
export interface MembershipChanges {
  /** The memberships whose decisive events above `ancestor` a rollback has deleted. May name one several times. */
  readonly lost: readonly MembershipKey[]
  readonly ancestor: number
  readonly events: readonly Insertable<EventsTable>[]
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
): Promise<void> {
  const decisive = events.filter(({ event }) => DECISIVE.some((kind) => kind === event))
  const keys = new Map(lost.map((key) => [nameOf(key), key]))
  for (const { subscription_id, subscriber } of decisive) {
    if (subscriber) keys.set(nameOf({ subscription_id, subscriber }), { subscription_id, subscriber })
  }
  const before = await readMemberships(db, chainId, [...keys.values()])
  const now = new Map(before.map((row) => [nameOf(row), row]))
  for (const name of new Set(lost.map(nameOf))) await recompute(db, now, ancestor, name)
  for (const event of decisive) follow(now, event)

  const old = new Map(before.map((row) => [nameOf(row), row]))
  for (const [name, { subscription_id }] of keys) {
    subscribers.add(subscription_id, activeIn(now.get(name)) - activeIn(old.get(name)))
  }
  const gone = before.filter((row) => !now.has(nameOf(row)))
  await deleteMemberships(db, chainId, gone)
  const changed = [...now.values()].filter((row) => !isSame(row, old.get(nameOf(row))))
  await upsertMemberships(db, changed)
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
  const event = row.first_block > ancestor ? undefined : await findDecisiveEvent(db, row, DECISIVE)
  if (event === undefined) now.delete(name)
  else now.set(name, { ...row, status: statusAfter(event) })
}

function follow(now: Map<string, Membership>, row: Insertable<EventsTable>): void {
  const { chain_id, subscription_id, subscriber, event, block_number, log_index } = row
  if (!subscriber) return
  const key = { subscription_id, subscriber }
  const member = now.get(nameOf(key))
  if (member !== undefined) now.set(nameOf(key), { ...member, status: statusAfter(event) })
  else if (event === SUBSCRIBED) {
    const first = { first_block: block_number, first_log_index: log_index }
    now.set(nameOf(key), { chain_id, ...key, status: ACTIVE, ...first })
  }
}

function statusAfter(event: number): number {
  if (event === SUBSCRIBED) return ACTIVE
  return event === REFUNDED ? CANCELLED : LEFT
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
