import { type Selectable, type SqlBool, sql } from 'kysely'
import { getAddress } from 'viem'
import type { HistoryQueries, IndexedPayment } from '../../../core/ports/history.ts'
import { DROP_REASONS, PAYMENT_KINDS, type PaymentKind } from '../../../protocol/payments/Payment.ts'
import type { PaymentsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { logPlace } from '../queries/answerRows.ts'
import { Cursors } from '../queries/Cursors.ts'
import { isBelow } from '../queries/logScans.ts'
import { type Range, readPage, type Scan } from '../queries/readPage.ts'
import { toHex } from '../toHex.ts'
import { kindNumber } from './writePayments.ts'

type Row = Selectable<PaymentsTable>
type Place = Pick<Row, 'block_number' | 'log_index'>

const ENDS: readonly PaymentKind[] = ['left', 'dropped', 'removed', 'cleanedUp']
const PAID: readonly PaymentKind[] = ['firstCharge', 'period', 'feeFill']
const REMITTED: readonly PaymentKind[] = ['period', 'feeFill']

/** The queries about single payments and members. */
export function paymentQueries(
  db: Queries,
  chainId: number,
  indexState: IndexState,
): Pick<HistoryQueries, 'payment' | 'payments' | 'member'> {
  const { finalizedBlock } = indexState
  const cursors = new Cursors(db, chainId, indexState)
  const payments = () => db.selectFrom('payments').selectAll().where('chain_id', '=', chainId)
  const toPayment = (row: Row) => indexedPayment(row, finalizedBlock)
  return {
    async payment(transactionHash, logIndex) {
      const row = await payments()
        .where('transaction_hash', '=', transactionHash.toLowerCase())
        .where('log_index', '<=', logIndex)
        .orderBy('block_number', 'desc')
        .orderBy('log_index', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row !== undefined && logIndex <= row.last_log_index ? toPayment(row) : undefined
    },

    async payments(provider, page) {
      const key = provider.toLowerCase()
      const name = `payments ${key}`
      const scans = [paymentScan(db, chainId, key)] as const
      const found = await readPage(cursors, { name, table: 'payments', scans }, page)
      const rows = found.rows.map(async (row) => ({
        ...toPayment(row),
        cursor: await cursors.make(name, row),
      }))
      return { ...found, rows: await Promise.all(rows) }
    },

    async member(subscriptionId, account) {
      const id = subscriptionId.toLowerCase()
      const own = () =>
        payments().where('subscription_id', '=', id).where('subscriber', '=', account.toLowerCase())
      const newest = (kinds: readonly PaymentKind[]) =>
        own()
          .where('kind', 'in', kinds.map(kindNumber))
          .orderBy('block_number', 'desc')
          .orderBy('log_index', 'desc')
          .limit(1)
          .executeTakeFirst()
      const joined = await newest(['firstCharge'])
      if (joined === undefined) return undefined
      const after = (place: Place) =>
        sql<SqlBool>`(block_number, log_index) > (${place.block_number}, ${place.log_index})`
      const [lastPayment, gone, cancelled, paid] = await Promise.all([
        newest(PAID),
        own()
          .where('kind', 'in', ENDS.map(kindNumber))
          .where(after(joined))
          .orderBy('block_number')
          .orderBy('log_index')
          .limit(1)
          .executeTakeFirst(),
        payments()
          .where('subscription_id', '=', id)
          .where('subscriber', 'is', null)
          .where(after(joined))
          .orderBy('block_number')
          .orderBy('log_index')
          .limit(1)
          .executeTakeFirst(),
        own()
          .where('kind', 'in', REMITTED.map(kindNumber))
          .where(after(joined))
          .orderBy('block_number', 'desc')
          .orderBy('log_index', 'desc')
          .limit(1)
          .executeTakeFirst(),
      ])
      const ended = firstOf(gone, cancelled)
      return {
        joined: toPayment(joined),
        lastPayment: toPayment(lastPayment ?? joined),
        lastPaidDay: paid?.day ?? null,
        ended: ended === undefined ? null : toPayment(ended),
        uncheckedAtJoin: await uncheckedAt(db, chainId, joined),
        uncheckedAtEnd: ended === undefined ? 0 : await uncheckedAt(db, chainId, ended),
      }
    },
  }
}

/** What a provider's subscriptions moved. Cancellations, which move nothing, are left out. */
function paymentScan(db: Queries, chainId: number, provider: string): Scan<Row> {
  const within = ({ below, limit, offset }: Range) =>
    db
      .selectFrom('payments')
      .where('chain_id', '=', chainId)
      .where('provider', '=', provider)
      .where('subscriber', 'is not', null)
      .where(isBelow(below))
      .orderBy('block_number', 'desc')
      .orderBy('log_index', 'desc')
      .limit(limit)
      .offset(offset)
  return {
    rows: (range) => within(range).selectAll().execute(),
    places: (range) => within(range).select(['block_number', 'log_index']).execute(),
  }
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

function firstOf(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const isFirst =
    one.block_number < other.block_number ||
    (one.block_number === other.block_number && one.log_index < other.log_index)
  return isFirst ? one : other
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
