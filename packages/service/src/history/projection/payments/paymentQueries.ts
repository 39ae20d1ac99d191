import type { HistoryQueries, IndexedPayment, MemberRecord } from '@remit/engine/ports/history'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { DROP_REASONS, PAYMENT_KINDS, type PaymentKind } from '@remit/protocol/payments/Payment'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { getAddress } from 'viem'
import type { PaymentsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { toHex } from '../columns.ts'
import { logPlace } from '../queries/answerRows.ts'
import { Cursors } from '../queries/Cursors.ts'
import { newestIn } from '../queries/logScans.ts'
import { readPage, scanOf } from '../queries/readPage.ts'
import { kindNumber } from './writePayments.ts'

type Row = Selectable<PaymentsTable>
type Place = Pick<Row, 'block_number' | 'log_index'>

// A row of `payments` is one movement of a membership's money, of a kind (`PAYMENT_KINDS`), also where an end moved nothing.
/** The kinds that end a membership. */
const ENDS: readonly PaymentKind[] = ['left', 'dropped', 'removed', 'cleanedUp']
/** Those by which a subscriber pays. */
const PAID: readonly PaymentKind[] = ['firstCharge', 'period', 'feeFill']
/** Of these, those that remit makes. */
const REMITTED: readonly PaymentKind[] = ['period', 'feeFill']

/** The queries of `HistoryQueries` about single payments: by transaction, by provider, and what `member` says of how a member stands. */
export function paymentQueries(
  db: Queries,
  chainId: number,
  indexState: IndexState,
): Pick<HistoryQueries, 'payment' | 'payments' | 'member'> {
  const { finalizedBlock } = indexState
  const cursors = new Cursors(db, chainId, indexState)
  const payments = () => db.selectFrom('payments').selectAll().where('chain_id', '=', chainId)
  /** The row that comes first in this order of the chain. */
  const first = (some: ReturnType<typeof payments>, order: 'asc' | 'desc') =>
    some.orderBy('block_number', order).orderBy('log_index', order).limit(1).executeTakeFirst()
  const toPayment = (row: Row) => indexedPayment(row, finalizedBlock)
  return {
    async payment(transactionHash, logIndex) {
      const ofTransaction = payments().where('transaction_hash', '=', transactionHash.toLowerCase())
      // A payment consists of several logs of its transaction; any of them may be asked for.
      const row = await first(ofTransaction.where('log_index', '<=', logIndex), 'desc')
      return row !== undefined && logIndex <= row.last_log_index ? toPayment(row) : undefined
    },

    async payments(provider, page, { days, endedOnly = false } = {}) {
      const key = provider.toLowerCase()
      const name = endedOnly ? `ended ${key}` : `payments ${key}`
      const all = endedOnly ? movedBy(db, chainId, key).where(HAS_ENDED) : movedBy(db, chainId, key)
      const moved = days === undefined ? all : await onDays(all, days)
      const scans = [scanOf((range) => newestIn(range, moved))] as const
      const found = await readPage(cursors, { name, tables: ['payments'], scans }, page)
      const rows = found.rows.map(async (row) => ({
        ...toPayment(row),
        cursor: await cursors.make(name, row),
      }))
      return { ...found, rows: await Promise.all(rows) }
    },

    async member(subscriptionId, account) {
      const ofSubscription = payments().where('subscription_id', '=', subscriptionId.toLowerCase())
      const own = (kinds: readonly PaymentKind[]) =>
        ofSubscription
          .where('subscriber', '=', account.toLowerCase())
          .where('kind', 'in', kinds.map(kindNumber))
      const joined = await first(own(['firstCharge']), 'desc')
      if (joined === undefined) return undefined
      const isLater = sql<SqlBool>`(block_number, log_index) > (${joined.block_number}, ${joined.log_index})`
      const [lastPayment, gone, cancelled, lastRemitted, broken] = await Promise.all([
        first(own(PAID), 'desc'),
        first(own(ENDS).where(isLater), 'asc'),
        // Only a cancellation has no subscriber.
        first(ofSubscription.where('subscriber', 'is', null).where(isLater), 'asc'),
        first(own(REMITTED).where(isLater), 'desc'),
        brokenDay(db, chainId, account.toLowerCase()),
      ])
      const ended = firstOf(gone, cancelled)
      return {
        joined: toPayment(joined),
        lastPayment: toPayment(lastPayment ?? joined),
        lastPaidDay: lastRemitted?.day ?? null,
        ended: ended === undefined ? null : toPayment(ended),
        brokenDay: broken,
        uncheckedAtEnd: ended === undefined ? 0 : await uncheckedAt(db, chainId, ended),
      }
    },
  }
}

/** A partial index holds these rows alone. A database uses it only where these very numbers stand in the query as literals. */
const HAS_ENDED = sql<SqlBool>`kind in (${sql.join(ENDS.map((kind) => sql.lit(kindNumber(kind))))})`

/** What a provider's subscriptions moved. Cancellations, which move nothing, are left out. */
function movedBy(db: Queries, chainId: number, provider: string) {
  return db
    .selectFrom('payments')
    .where('chain_id', '=', chainId)
    .where('provider', '=', provider)
    .where('subscriber', 'is not', null)
}

type Moved = ReturnType<typeof movedBy>

/** Of what was moved, that of the days from `fromDay` up to, but without, `toDay`. */
async function onDays(moved: Moved, { fromDay, toDay }: { fromDay: number; toDay: number }): Promise<Moved> {
  const [from, to] = await Promise.all([
    firstBlockSince(moved, fromDay * SECONDS_PER_DAY),
    firstBlockSince(moved, toDay * SECONDS_PER_DAY),
  ])
  return moved.where('block_number', '>=', from).where('block_number', '<', to)
}

/**
 * The first block with a row of that time (unix seconds) or later; the block after the last row where there is none; 0 without rows.
 * Rows have an index by block and none by time. Times rise with blocks, so a binary search over blocks finds it: reading a long list
 * through would block the store for all.
 */
async function firstBlockSince(moved: Moved, timestamp: number): Promise<number> {
  const next = (from: number) =>
    moved
      .where('block_number', '>=', from)
      .orderBy('block_number')
      .orderBy('log_index')
      .select(['block_number', 'timestamp'])
      .limit(1)
      .executeTakeFirst()
  const newest = await moved
    .select('block_number')
    .orderBy('block_number', 'desc')
    .limit(1)
    .executeTakeFirst()
  let [low, high] = [0, (newest?.block_number ?? -1) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await next(middle)
    if (row === undefined || row.timestamp >= timestamp) high = middle
    else low = row.block_number + 1
  }
  return low
}

function indexedPayment(row: Row, finalizedBlock: number): IndexedPayment {
  const kind = PAYMENT_KINDS[row.kind]
  if (kind === undefined) throw new Error(`the store holds a payment of the kind ${row.kind}`)
  return {
    ...logPlace(row, finalizedBlock),
    kind,
    subscriptionId: toHex(row.subscription_id),
    provider: getAddress(row.provider),
    subscriber: row.subscriber === null ? null : getAddress(row.subscriber),
    token: getAddress(row.token),
    dayNumber: row.day,
    lastLogIndex: row.last_log_index,
    toProvider: BigInt(row.to_provider),
    toFeeBalance: BigInt(row.to_fee_balance),
    toSubscriber: BigInt(row.to_subscriber),
    callerFee: BigInt(row.caller_fee),
    systemShare: BigInt(row.system_share),
    dropReason: DROP_REASONS.find((reason) => reason === row.drop_reason) ?? null,
  }
}

/**
 * The day that remit has begun and not finished, and which of all the account's subscriptions it has charged for that day;
 * `null` where it has finished the newest day. `checked_days` has a row for each time that remit finished a day or broke it off.
 * Nobody can subscribe while a day is unfinished, so a charge of that day is always of the present membership.
 */
async function brokenDay(db: Queries, chainId: number, account: string): Promise<MemberRecord['brokenDay']> {
  const checked = () =>
    db
      .selectFrom('checked_days')
      .select(['day', 'is_finished', 'block_number', 'log_index'])
      .where('chain_id', '=', chainId)
      .orderBy('block_number', 'desc')
      .orderBy('log_index', 'desc')
      .limit(1)
  const newest = await checked().executeTakeFirst()
  if (newest === undefined || newest.is_finished === 1) return null
  const finished = await checked().where('is_finished', '=', 1).executeTakeFirst()
  // A charge of the unfinished day stands behind the end of the last finished one.
  const { block_number, log_index } = finished ?? { block_number: -1, log_index: 0 }
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('payments', (join) =>
      join
        .onRef('payments.chain_id', '=', 'memberships.chain_id')
        .onRef('payments.subscription_id', '=', 'memberships.subscription_id')
        .onRef('payments.subscriber', '=', 'memberships.subscriber'),
    )
    .select('payments.subscription_id')
    .where('memberships.chain_id', '=', chainId)
    .where('memberships.subscriber', '=', account)
    .where('payments.kind', 'in', REMITTED.map(kindNumber))
    .where('payments.day', '=', newest.day)
    .where(sql<SqlBool>`(payments.block_number, payments.log_index) > (${block_number}, ${log_index})`)
    .execute()
  return { dayNumber: newest.day, charged: rows.map((row) => toHex(row.subscription_id)) }
}

/** The first day that remit had not finished before a place in the chain; 0 before its first one. */
async function uncheckedAt(db: Queries, chainId: number, place: Place): Promise<number> {
  const row = await db
    .selectFrom('checked_days')
    .select('day')
    .where('chain_id', '=', chainId)
    .where('is_finished', '=', 1)
    .where(sql<SqlBool>`(block_number, log_index) < (${place.block_number}, ${place.log_index})`)
    .orderBy('block_number', 'desc')
    .orderBy('log_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? 0 : row.day + 1
}

/** The row that is earlier on the chain; the one that there is, or `undefined`. */
function firstOf(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const isFirst =
    one.block_number < other.block_number ||
    (one.block_number === other.block_number && one.log_index < other.log_index)
  return isFirst ? one : other
}
