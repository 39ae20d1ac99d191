import { ValidationError } from '@remit/engine/errors/input'
import type {
  HistoryQueries,
  IndexedSubscription,
  RevenueDay,
  RevenueRows,
} from '@remit/engine/ports/history'
import { type Selectable, sql } from 'kysely'
import { getAddress, type Hex } from 'viem'
import type { PaymentDaysTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks, toHex } from '../columns.ts'
import { indexedSubscription } from '../queries/answerRows.ts'
import { readTokenLogs } from '../verdicts/updateVerdicts.ts'

/** Days of subscriptions that one answer may read. Each is one row, however many payments it had. */
const MOST_DAYS = 100_000

type Asked = Parameters<HistoryQueries['revenue']>

/** Reads the sums of each day, and who was a member before. */
export async function readRevenue(
  db: Queries,
  chainId: number,
  of: Asked[0],
  { fromDay, toDay, token }: Asked[1],
): Promise<RevenueRows> {
  const within = () => {
    const days = db.selectFrom('payment_days').where('payment_days.chain_id', '=', chainId)
    const owned =
      'provider' in of
        ? days.where('payment_days.provider', '=', of.provider.toLowerCase())
        : days.where('payment_days.subscription_id', '=', of.subscriptionId.toLowerCase())
    return token === undefined ? owned : owned.where('payment_days.token', '=', token.toLowerCase())
  }
  const rows = await within()
    .where('day', '>=', fromDay)
    .where('day', '<', toDay)
    .selectAll()
    .limit(MOST_DAYS + 1)
    .execute()
  if (rows.length > MOST_DAYS) {
    throw ValidationError.of(
      'from',
      `asks for more than ${MOST_DAYS} days of subscriptions: ask for a shorter time, or for one subscription`,
    )
  }
  const before = await within()
    .where('day', '<', fromDay)
    .select('subscription_id')
    .select(sql<number | string>`sum(joined - left_count - removed - dropped - cancelled)`.as('members'))
    .groupBy('subscription_id')
    .execute()
  const membersBefore = new Map<Hex, number>()
  for (const { subscription_id, members } of before) {
    if (Number(members) !== 0) membersBefore.set(toHex(subscription_id), Number(members))
  }
  const days = rows.map(revenueDay)
  const ids = new Set<string>([
    ...membersBefore.keys(),
    ...rows.map(({ subscription_id }) => subscription_id),
  ])
  const terms = await readTerms(db, chainId, [...ids])
  // A clean-up may have named another token than the subscription's.
  const own = days.filter((_, index) => {
    const row = rows[index]
    return row !== undefined && terms.get(toHex(row.subscription_id))?.token === getAddress(row.token)
  })
  const tokens = new Set([...terms.values()].map((each) => each.token))
  const tokenLogs = await readTokenLogs(db, chainId, [...tokens].toSorted())
  return { days: own, membersBefore, terms, tokenLogs }
}

async function readTerms(
  db: Queries,
  chainId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<Hex, IndexedSubscription>> {
  const found = new Map<Hex, IndexedSubscription>()
  await inChunks(ids, async (chunk) => {
    const rows = await db
      .selectFrom('subscriptions')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('id', 'in', chunk)
      .execute()
    for (const row of rows) found.set(toHex(row.id), indexedSubscription(row))
  })
  return found
}

function revenueDay(row: Selectable<PaymentDaysTable>): RevenueDay {
  return {
    subscriptionId: toHex(row.subscription_id),
    day: row.day,
    received: BigInt(row.received),
    intoFeeBalances: BigInt(row.into_fee_balances),
    outOfFeeBalances: BigInt(row.out_of_fee_balances),
    refunds: BigInt(row.refunds),
    callerFees: BigInt(row.caller_fees),
    systemShares: BigInt(row.system_shares),
    payments: row.payments,
    failures: row.failures,
    joined: row.joined,
    left: row.left_count,
    removed: row.removed,
    dropped: row.dropped,
    cancelled: row.cancelled,
  }
}
