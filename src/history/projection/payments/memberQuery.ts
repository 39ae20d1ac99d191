import { type Selectable, type SqlBool, sql } from 'kysely'
import type { HistoryQueries, MemberRecord } from '../../../core/ports/history.ts'
import type { PaymentKind } from '../../../protocol/payments/Payment.ts'
import type { PaymentsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { toHex } from '../toHex.ts'
import { indexedPayment } from './paymentQueries.ts'
import { kindNumber } from './writePayments.ts'

type Row = Selectable<PaymentsTable>
type Place = Pick<Row, 'block_number' | 'log_index'>

const ENDS: readonly PaymentKind[] = ['left', 'dropped', 'removed', 'cleanedUp']
const PAID: readonly PaymentKind[] = ['firstCharge', 'period', 'feeFill']
const REMITTED: readonly PaymentKind[] = ['period', 'feeFill']

/** The query about a member. */
export function memberQuery(
  db: Queries,
  chainId: number,
  { finalizedBlock }: IndexState,
): Pick<HistoryQueries, 'member'> {
  const payments = () => db.selectFrom('payments').selectAll().where('chain_id', '=', chainId)
  const toPayment = (row: Row) => indexedPayment(row, finalizedBlock)
  return {
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
      const [lastPayment, gone, cancelled, paid, broken] = await Promise.all([
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
        brokenDay(db, chainId, account.toLowerCase()),
      ])
      const ended = firstOf(gone, cancelled)
      return {
        joined: toPayment(joined),
        lastPayment: toPayment(lastPayment ?? joined),
        lastPaidDay: paid?.day ?? null,
        ended: ended === undefined ? null : toPayment(ended),
        brokenDay: broken,
        uncheckedAtEnd: ended === undefined ? 0 : await uncheckedAt(db, chainId, ended),
      }
    },
  }
}

/** The day in the middle of which remit has broken off. While it has, nobody can subscribe. */
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

function firstOf(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const isFirst =
    one.block_number < other.block_number ||
    (one.block_number === other.block_number && one.log_index < other.log_index)
  return isFirst ? one : other
}
