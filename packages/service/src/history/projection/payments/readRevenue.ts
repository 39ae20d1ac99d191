import { ValidationError } from '@remit/engine/errors/input'
import type {
  HistoryQueries,
  IndexedSubscription,
  RevenueDay,
  RevenueRows,
} from '@remit/engine/ports/history'
import type { Before } from '@remit/protocol/payments/revenue'
import { type Selectable, sql } from 'kysely'
import { getAddress, type Hex } from 'viem'
import type { PaymentDaysTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks, toHex } from '../columns.ts'
import { indexedSubscription } from '../queries/answerRows.ts'
import { readTokenLogs } from '../verdicts/tokenChecks.ts'

/** Days of subscriptions that one answer may read. Each is one row, however many payments it had. */
const MOST_DAYS = 100_000

type Asked = Parameters<HistoryQueries['revenue']>

/**
 * Reads what a revenue report is made of: the sums of each day from `fromDay` up to, but without, `toDay` (day numbers), and the members
 * and fee balances that remain of all days before it. Beside them, for all subscriptions with either: their terms, which name the token
 * and the amount of each, and what is known of the Transfer logs of those tokens, because a report warns of logs that are wrong.
 * Throws ValidationError where the range has more than MOST_DAYS rows.
 * @param of a provider or one subscription
 */
export async function readRevenue(
  db: Queries,
  chainId: number,
  of: Asked[0],
  { fromDay, toDay, token }: Asked[1],
): Promise<RevenueRows> {
  /** The days of all time that are asked about, by provider, subscription and token. */
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
  // All days before the range, added up by the database.
  const past = await within()
    .where('day', '<', fromDay)
    .select(['subscription_id', 'token', FEE_BALANCES.as('fee_balances')])
    .select(sql<number | string>`sum(joined - left_count - removed - dropped - cancelled)`.as('members'))
    .groupBy(['subscription_id', 'token'])
    .execute()
  const remaining = past
    .map((row) => ({ ...row, members: Number(row.members), feeBalances: sumOfParts(row.fee_balances) }))
    .filter(({ members, feeBalances }) => members !== 0 || feeBalances !== 0n)
  const ids = new Set([...remaining, ...rows].map(({ subscription_id }) => subscription_id))
  const terms = await readTerms(db, chainId, [...ids])
  // A clean-up pays in the token that its caller names. What it paid in another token than the subscription's stays out of the
  // sums. It ends no membership: all of them ended with the cancellation, which has the subscription's own token.
  const isOwn = (row: Pick<Selectable<PaymentDaysTable>, 'subscription_id' | 'token'>) =>
    terms.get(toHex(row.subscription_id))?.token === getAddress(row.token)
  const before = new Map<Hex, Before>(
    remaining
      .filter(isOwn)
      .map(({ subscription_id, members, feeBalances }) => [toHex(subscription_id), { members, feeBalances }]),
  )
  const tokens = new Set([...terms.values()].map((each) => each.token))
  const tokenLogs = await readTokenLogs(db, chainId, [...tokens].toSorted())
  return { days: rows.filter(isOwn).map(revenueDay), before, terms, tokenLogs }
}

/** Digits of a part: so few that a sum over a subscription's days, one row each, stays within 64 bits for some thousand years. */
const PART_DIGITS = 12
/** Enough for the 78 digits that an amount has at most. */
const PARTS = 7

/**
 * SQL for what went into fee balances, less what came out of them, exactly: amounts are stored as text, and the database would round
 * their sum. So each amount is cut into parts of 12 digits, the parts are summed apart, and the sums are joined by spaces, lowest
 * first, for `sumOfParts`.
 */
const FEE_BALANCES = sql<string>`${sql.join(
  Array.from({ length: PARTS }, (_, part) => {
    const skipped = part * PART_DIGITS
    const digits = (column: string) => {
      const amount = sql.ref(column)
      const padded = sql`${sql.lit('0'.repeat(PART_DIGITS - 1))} || ${amount}`
      return sql`case when length(${amount}) > ${sql.lit(skipped)}
        then cast(substr(${padded}, length(${amount}) - ${sql.lit(skipped)}, ${sql.lit(PART_DIGITS)}) as bigint) else 0 end`
    }
    const [into, out, refunds, fees, shares] = [
      'into_fee_balances',
      'out_of_fee_balances',
      'refunds',
      'caller_fees',
      'system_shares',
    ].map(digits)
    return sql`cast(sum(${into} - ${out} - ${refunds} - ${fees} - ${shares}) as text)`
  }),
  sql` || ' ' || `,
)}`

/** The exact sum that `FEE_BALANCES` gives in parts. */
function sumOfParts(parts: string): bigint {
  return parts
    .split(' ')
    .reduce((sum, part, index) => sum + BigInt(part) * 10n ** BigInt(index * PART_DIGITS), 0n)
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
