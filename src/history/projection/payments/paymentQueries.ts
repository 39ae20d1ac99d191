import type { Selectable } from 'kysely'
import { getAddress } from 'viem'
import type { HistoryQueries, IndexedPayment } from '../../../core/ports/history.ts'
import { DROP_REASONS, PAYMENT_KINDS } from '../../../protocol/payments/Payment.ts'
import type { PaymentsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { logPlace } from '../queries/answerRows.ts'
import { Cursors } from '../queries/Cursors.ts'
import { isBelow } from '../queries/logScans.ts'
import { type Range, readPage, type Scan, scanOf } from '../queries/readPage.ts'
import { toHex } from '../toHex.ts'

type Row = Selectable<PaymentsTable>

/** The queries about single payments. */
export function paymentQueries(
  db: Queries,
  chainId: number,
  indexState: IndexState,
): Pick<HistoryQueries, 'payment' | 'payments'> {
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
      const found = await readPage(cursors, { name, tables: ['payments'], scans }, page)
      const rows = found.rows.map(async (row) => ({
        ...toPayment(row),
        cursor: await cursors.make(name, row),
      }))
      return { ...found, rows: await Promise.all(rows) }
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
  return scanOf(within)
}

/** A row as answers tell it. */
export function indexedPayment(row: Row, finalizedBlock: number): IndexedPayment {
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
