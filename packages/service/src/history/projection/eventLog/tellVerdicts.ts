import { eventId } from '@remit/engine/indexing/events/happenedIn'
import { EVENT_TYPES, RISKS } from '@remit/engine/ports/events'
import type { BlockRef } from '@remit/engine/ports/history'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { append, eventRow, type NewEvent, toldFacts, typeNumber, withoutLog } from './writeLog.ts'

/** An unpaid charge is announced this many days before it is due. */
export const AT_RISK_DAYS = 7
/** `coverage.ending` is announced once a wallet pays for this many charges or fewer. */
const ENDING_CHARGES = 2
/** Events older than this are about past charges: a yearly charge is up to a year away, and remit may come months late. */
const REMEMBERED_DAYS = 490

/** The types that this file logs. Their events have no log on the chain: a sweep of verdicts found them. */
const SWEPT = (['payment.at_risk', 'payment.safe_again', 'coverage.ending'] as const).map(typeNumber)

const ENDING = typeNumber('coverage.ending')

type Verdict = Selectable<VerdictsTable>

/** What the log has told about one charge so far: its last event. */
interface Told {
  /** `undefined` if that was logged before the subscriber last joined: it was about an earlier membership, and counts as not told. */
  readonly type: string | undefined
  /** The kind of trouble: one of RISKS. */
  readonly kind: string | undefined
  /** How many events about this charge there were; part of an event's id. */
  readonly number: number
}

/**
 * Logs what the verdicts of one block change: a charge at risk, one that is safe again, coverage that ends. What is new shows by
 * comparison with the log's own events, so nothing else is kept, and an index that is built anew logs nothing twice.
 * @param verdicts as they are written now, all read at `block`
 * @param now unix seconds of the chain's clock
 */
export async function tellVerdicts(
  db: Transaction<Tables>,
  chainId: number,
  block: BlockRef,
  verdicts: readonly Verdict[],
  now: number,
): Promise<void> {
  const today = Math.floor(now / SECONDS_PER_DAY)
  const events: NewEvent[] = []
  await inChunks(verdicts, async (chunk) => {
    const told = await readTold(db, chainId, chunk, now)
    for (const verdict of chunk) {
      events.push(...changes(chainId, block, verdict, told.get(keyOf(verdict)) ?? new Map(), today))
    }
  })
  await append(db, chainId, events)
}

/** The events that one verdict makes. @param told by charge: `risk <day>` or `ending <day>` @param today day number */
function* changes(
  chainId: number,
  block: BlockRef,
  verdict: Verdict,
  told: ReadonlyMap<string, Told>,
  today: number,
): Generator<NewEvent> {
  const { subscription_id, provider, subscriber: account, token, trouble_day } = verdict
  const place = { ...withoutLog(block), subscription_id, provider, account, token }
  const idOf = (type: string, day: number, number: number) =>
    eventId(chainId, type, subscription_id, account, day, number)
  for (const [key, { type, number }] of told) {
    if (type !== 'payment.at_risk' || !key.startsWith('risk ')) continue
    const day = Number(key.replace(/^risk /, ''))
    if (!isSafe(day, verdict)) continue
    const id = idOf('payment.safe_again', day, number + 1)
    yield eventRow('payment.safe_again', { day }, { ...place, id })
  }
  const kind = verdict.trouble === null ? undefined : RISKS[verdict.trouble - 1]
  if (kind === undefined || trouble_day === null) return
  const risk = {
    day: trouble_day,
    kind,
    missingAllowance: verdict.missing_allowance ?? '0',
    missingBalance: verdict.missing_balance ?? '0',
  }
  // How many charges are paid before the trouble: P is one that goes to the provider, F one that fills the fee balance.
  const charges = verdict.charges?.match(/[PF]/g)?.length ?? 0
  const toldEnding = told.get(`ending ${trouble_day}`)
  const isSoon = trouble_day - today <= AT_RISK_DAYS
  // A blocked charge says nothing of the wallet's money. Soon counts too: where remit is behind, many overdue charges may come before one that is due within days.
  if (kind !== 'blocked' && (charges <= ENDING_CHARGES || isSoon) && toldEnding?.type === undefined) {
    const id = idOf('coverage.ending', trouble_day, (toldEnding?.number ?? 0) + 1)
    yield eventRow('coverage.ending', { ...risk, charges }, { ...place, id })
  }
  const toldRisk = told.get(`risk ${trouble_day}`)
  const isKnown = toldRisk?.type === 'payment.at_risk' && toldRisk.kind === kind
  if (isSoon && !isKnown) {
    const id = idOf('payment.at_risk', trouble_day, (toldRisk?.number ?? 0) + 1)
    yield eventRow('payment.at_risk', risk, { ...place, id })
  }
}

/**
 * Whether a charge that was at risk is safe now: it is still to come (`first_day` or later), and before the first one that
 * fails, if any. What was before `first_day` is decided, and other events tell how. A charge that remit will pass over,
 * because its token is paused, is safe as well: it is among those to come and does not fail.
 */
function isSafe(day: number, { first_day, trouble_day }: Verdict): boolean {
  return first_day !== null && day >= first_day && (trouble_day === null || day < trouble_day)
}

/** The logged events about these memberships, by membership and then by charge. */
async function readTold(
  db: Transaction<Tables>,
  chainId: number,
  verdicts: readonly Verdict[],
  now: number,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Told>>> {
  const keys = verdicts.map((row) => sql`(${row.token}, ${row.subscription_id}, ${row.subscriber})`)
  const rows = await db
    .selectFrom('event_log')
    .select(['sequence', 'subscription_id', 'account', 'type', 'facts'])
    .where('chain_id', '=', chainId)
    .where(sql<boolean>`(token, subscription_id, account) in (values ${sql.join(keys)})`)
    .where('log_index', 'is', null)
    .where('retracted_by', 'is', null)
    .where('type', 'in', SWEPT)
    .where('timestamp', '>=', now - REMEMBERED_DAYS * SECONDS_PER_DAY)
    .orderBy('sequence')
    .execute()
  const joinedAt = rows.length === 0 ? new Map<string, number>() : await lastJoined(db, chainId, verdicts)
  const told = new Map<string, Map<string, Told>>()
  for (const row of rows) {
    const { day, kind } = toldFacts(row.facts)
    const membership = `${row.subscription_id} ${row.account}`
    const charges = told.get(membership) ?? new Map<string, Told>()
    told.set(membership, charges)
    const isOfEarlierMembership = row.sequence < (joinedAt.get(membership) ?? 0)
    const type = isOfEarlierMembership ? undefined : EVENT_TYPES[row.type]
    const charge = row.type === ENDING ? `ending ${day}` : `risk ${day}`
    charges.set(charge, { type, kind, number: (charges.get(charge)?.number ?? 0) + 1 })
  }
  return told
}

/** By membership, the sequence of the event by which the subscriber last joined. */
async function lastJoined(
  db: Transaction<Tables>,
  chainId: number,
  verdicts: readonly Verdict[],
): Promise<ReadonlyMap<string, number>> {
  const keys = verdicts.map((row) => sql`(${row.subscription_id}, ${row.subscriber})`)
  const rows = await db
    .selectFrom('event_log')
    .select(['subscription_id', 'account'])
    .select((row) => row.fn.max<number>('sequence').as('sequence'))
    .where('chain_id', '=', chainId)
    .where(sql<boolean>`(subscription_id, account) in (values ${sql.join(keys)})`)
    // Spelled out: the database's index covers exactly these.
    .where('type', '=', sql.lit(typeNumber('subscriber.joined')))
    .where('retracted_by', 'is', null)
    .groupBy(['subscription_id', 'account'])
    .execute()
  return new Map(
    rows.map(({ subscription_id, account, sequence }) => [`${subscription_id} ${account}`, sequence]),
  )
}

function keyOf({ subscription_id, subscriber }: Verdict): string {
  return `${subscription_id} ${subscriber}`
}
