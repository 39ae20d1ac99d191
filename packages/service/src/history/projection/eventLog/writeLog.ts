import { eventId, happenedIn } from '@remit/engine/indexing/events/happenedIn'
import { groupBy } from '@remit/engine/indexing/groupBy'
import {
  EVENT_FACTS,
  EVENT_TYPES,
  type EventType,
  finalityAt,
  type Happened,
} from '@remit/engine/ports/events'
import type { BlockRef } from '@remit/engine/ports/history'
import type { PlacedPayment, Step, StepFacts } from '@remit/engine/ports/source'
import type { Selectable, Transaction } from 'kysely'
import * as z from 'zod'
import type { EventLogTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import type { MemberChange } from '../step/memberships.ts'

// Writes a chain's event log, the table `event_log`: rows are only added, each with the next sequence number. An event whose block was
// replaced stays, and a later row retracts it: its `retracted_by` is that row's sequence. First how rows are made, then how a step adds
// them and retracts others.

/** A row of the log that has no sequence yet. */
export type NewEvent = Omit<Selectable<EventLogTable>, 'chain_id' | 'sequence' | 'retracted_by'>

/** Whom a row is about, in lower case. */
type RowSubject = Partial<Pick<NewEvent, 'subscription_id' | 'provider' | 'account' | 'token'>>

/** The facts of a type as the store keeps them. */
type StoredFacts<Type extends EventType> = z.input<(typeof EVENT_FACTS)[Type]>

/** A type as the store has it: its place in EVENT_TYPES. */
export function typeNumber(type: EventType): number {
  return EVENT_TYPES.indexOf(type)
}

/** The place of an event that no log shows: the block at which it was seen. */
export function withoutLog({ number, hash, timestamp }: BlockRef) {
  const block = { block_number: number, block_hash: hash.toLowerCase(), timestamp }
  return { ...block, log_index: null, transaction_hash: null }
}

/** Makes a row. Its facts must be those of its type, which the signature checks. */
export function eventRow<Type extends EventType>(
  type: Type,
  facts: StoredFacts<Type>,
  row: Omit<NewEvent, 'type' | 'facts' | keyof RowSubject> & RowSubject,
): NewEvent {
  const nobody = { subscription_id: null, provider: null, account: null, token: null }
  return { ...nobody, ...row, type: typeNumber(type), facts: JSON.stringify(facts) }
}

const Facts = z.looseObject({ day: z.number().optional(), kind: z.string().optional() })

/** The facts of an earlier event that decide whether the next one is new. */
export function toldFacts(facts: string): z.output<typeof Facts> {
  return Facts.parse(JSON.parse(facts))
}

/** What makes events of a step, besides its logs. */
interface WrittenStep extends Pick<StepFacts, 'terms' | 'blockHashes'> {
  readonly payments: readonly PlacedPayment[]
  /** Each beginning and end of a membership. */
  readonly memberChanges: readonly MemberChange[]
}

/** The events of a step, as rows: its logs, and the payments and memberships that were made of them. Throws what happenedIn throws. */
export function logRows(
  chainId: number,
  step: Step,
  { memberChanges, ...written }: WrittenStep,
): readonly NewEvent[] {
  const byBlock = groupBy(memberChanges, ({ blockNumber }) => blockNumber)
  const changesMembership = ({ blockNumber, logIndex: first, lastLogIndex }: PlacedPayment) =>
    (byBlock.get(blockNumber) ?? []).some(({ logIndex }) => logIndex >= first && logIndex <= lastLogIndex)
  return happenedIn(chainId, step, { ...written, changesMembership }).map(rowOf)
}

function rowOf({ id, type, block, logIndex, transactionHash, subject, facts }: Happened): NewEvent {
  return {
    id,
    type: typeNumber(type),
    block_number: block.number,
    block_hash: block.hash,
    timestamp: block.timestamp,
    log_index: logIndex,
    transaction_hash: transactionHash?.toLowerCase() ?? null,
    subscription_id: subject.subscriptionId?.toLowerCase() ?? null,
    provider: subject.provider?.toLowerCase() ?? null,
    account: subject.account?.toLowerCase() ?? null,
    token: subject.token?.toLowerCase() ?? null,
    // Safe: the schema that encodes the facts is that of their type.
    facts: JSON.stringify(z.encode<z.ZodType>(EVENT_FACTS[type], facts)),
  }
}

/** Most events that one retraction names. */
const MOST_IDS = 100

type Row = Selectable<EventLogTable>

/** The tip that a step was made from. */
interface PreviousTip {
  readonly blockNumber: number
  readonly finalizedBlock: number
}

/**
 * Adds the events of a step to the log, and retracts those in the log that did not happen on this branch of the chain. Events that
 * are in the log already are not added again: an index that is built anew finds them there.
 * @param before the tip that the step was made from
 */
export async function writeLog(
  db: Transaction<Tables>,
  chainId: number,
  before: PreviousTip,
  { ancestor, to }: Pick<Step, 'ancestor' | 'to'>,
  happened: readonly NewEvent[],
): Promise<void> {
  const isFork = ancestor.number < before.blockNumber
  const told = await db
    .selectFrom('event_log')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('block_number', '>', ancestor.number)
    .where('retracted_by', 'is', null)
    .where('type', '<>', typeNumber('retracted'))
    // Without a fork, `told` serves to find events that are logged already. Those without a log, which a sweep found, are never among a
    // step's events: compared with these they would be retracted. A fork does retract them.
    .$if(!isFork, (query) => query.where('block_number', '<=', to.number).where('log_index', 'is not', null))
    .execute()
  // Sorted here: if SQL asked for the order, SQLite would read the whole log in it, rather than the blocks by their index.
  told.sort((one, other) => one.sequence - other.sequence)
  const stays = new Set(happened.map(({ id }) => id))
  const known = new Set(told.map(({ id }) => id))
  const lost = told.filter(({ id }) => !stays.has(id))
  await retract(db, chainId, before, ancestor, lost)
  const added = happened.filter(({ id }) => !known.has(id))
  await append(db, chainId, added)
}

/**
 * Adds events at the end of the log. The caller's transaction holds the chain's row, so their order is the order of commits.
 * @returns the sequence of the first one
 */
export async function append(
  db: Transaction<Tables>,
  chainId: number,
  events: readonly NewEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const { log_sequence } = await db
    .updateTable('index_chains')
    .set((row) => ({ log_sequence: row('log_sequence', '+', events.length) }))
    .where('chain_id', '=', chainId)
    .returning('log_sequence')
    .executeTakeFirstOrThrow()
  const first = log_sequence - events.length + 1
  const rows = events.map((event, index) => ({ chain_id: chainId, sequence: first + index, ...event }))
  await inChunks(rows, (chunk) => db.insertInto('event_log').values(chunk).execute())
  return first
}

/** Adds retractions of these rows. One for each subject, so that filters give it to the readers to whom they gave the events. */
async function retract(
  db: Transaction<Tables>,
  chainId: number,
  before: PreviousTip,
  ancestor: BlockRef,
  lost: readonly Row[],
): Promise<void> {
  const groups = groupBy(lost, (row) => [row.subscription_id, row.provider, row.account, row.token].join(' '))
  const parts = [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / MOST_IDS) }, (_, part) =>
      group.slice(part * MOST_IDS, (part + 1) * MOST_IDS),
    ),
  )
  const retractions = parts.map((rows) => retraction(chainId, before, ancestor, rows))
  const sequence = await append(db, chainId, retractions)
  for (const [index, rows] of parts.entries()) {
    const retracted = rows.map((row) => row.sequence)
    const change = db.updateTable('event_log').set({ retracted_by: sequence + index })
    await change.where('chain_id', '=', chainId).where('sequence', 'in', retracted).execute()
  }
}

function retraction(
  chainId: number,
  before: PreviousTip,
  ancestor: BlockRef,
  rows: readonly Row[],
): NewEvent {
  const ids = rows.map(({ id }) => id)
  const types = [...new Set(rows.map(({ type }) => type))].flatMap((type) => EVENT_TYPES[type] ?? [])
  const oldest = Math.min(...rows.map(({ block_number }) => block_number))
  const reached = finalityAt(oldest, before)
  const [first] = rows
  const { subscription_id = null, provider = null, account = null, token = null } = first ?? {}
  return eventRow(
    'retracted',
    { ids, types, reached },
    {
      // With the sequences: the same event may happen again, in a new row, and be retracted again.
      id: eventId(chainId, 'retracted', ...rows.map(({ id, sequence }) => `${id} ${sequence}`)),
      ...withoutLog(ancestor),
      subscription_id,
      provider,
      account,
      token,
    },
  )
}
