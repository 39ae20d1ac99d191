import type { Insertable, Selectable, Transaction } from 'kysely'
import { SUBSCRIPT_EVENT_NUMBERS } from '../../../protocol/logs/subscriptEvent.ts'
import { ACCOUNT_STATUS_NUMBERS } from '../../../protocol/subscription.ts'
import type { EventsTable, MembershipsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { type MembershipKey, readMemberships, upsertMemberships } from './membershipRows.ts'

const { Subscribed, Unsubscribed, SubscriberRefunded } = SUBSCRIPT_EVENT_NUMBERS
const { ACTIVE, CANCELLED, UNSUBSCRIBED } = ACCOUNT_STATUS_NUMBERS

/** The SubLogs that change an account's status. The database's index `events_by_membership` covers exactly these. */
export const DECISIVE: readonly number[] = [Subscribed, Unsubscribed, SubscriberRefunded]

export function isDecisive({ event }: { readonly event: number }): boolean {
  return DECISIVE.includes(event)
}

type Membership = Selectable<MembershipsTable>

/** What of an event decides about memberships. */
export type MembershipEvent = Pick<
  Insertable<EventsTable>,
  'chain_id' | 'subscription_id' | 'subscriber' | 'event' | 'block_number' | 'log_index'
>

/** Where the number of a subscription's active members changed, and by how much. */
export interface MemberChange {
  readonly subscriptionId: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly members: number
}

/** What became of memberships. */
interface WrittenMemberships {
  /** Each beginning and end of a membership, by its event. */
  readonly turns: readonly MemberChange[]
  /** Active now, and not before. */
  readonly begun: readonly MembershipKey[]
  /** Active before, and not now. */
  readonly ended: readonly MembershipKey[]
}

/**
 * Writes the memberships that events change, given in the order of the chain.
 *
 * An account is a member once it has subscribed. The contract also lets an account unsubscribe that never
 * subscribed; that makes no membership. The janitor's cleanup logs for a member that it unsubscribed, then that it
 * was refunded.
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
  const turns = decisive.flatMap((event) => follow(now, event))
  const changed = [...now.values()].filter((row) => row.status !== before.get(nameOf(row))?.status)
  await upsertMemberships(db, changed)
  const begun = changed.filter(isActive)
  const ended = changed.filter((row) => isActive(before.get(nameOf(row))))
  return { turns, begun, ended }
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

/** @returns the turn that the event is, if it is one */
function follow(now: Map<string, Membership>, row: MembershipEvent): MemberChange[] {
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
