import { dayNumberAt } from '@remit/protocol/calendar'
import { CHARGES, PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { PaymentDaysTable, PaymentsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

// The table `payment_days`: sums of payments by subscription, UTC day and token, from which revenue is answered.

/** The columns of amounts: raw units as decimal text, which no SQL can add up exactly. So they are added here. */
const AMOUNTS = [
  'received',
  'into_fee_balances',
  'out_of_fee_balances',
  'refunds',
  'caller_fees',
  'system_shares',
] as const

/** The columns of counts. From `joined` on they count members. */
const COUNTS = ['payments', 'failures', 'joined', 'left_count', 'removed', 'dropped', 'cancelled'] as const

type DayKey = Pick<Selectable<PaymentDaysTable>, 'subscription_id' | 'day' | 'token' | 'provider'>
type Amounts = Record<(typeof AMOUNTS)[number], bigint>
type Counts = Record<(typeof COUNTS)[number], number>
interface Day extends DayKey, Amounts, Counts {}

type Row = Pick<
  Insertable<PaymentsTable>,
  | 'kind'
  | 'subscription_id'
  | 'provider'
  | 'token'
  | 'timestamp'
  | 'members'
  | 'to_provider'
  | 'to_fee_balance'
  | 'to_subscriber'
  | 'caller_fee'
  | 'system_share'
>

/** Adds payments to the sums of their days. A day on which all is zero has no row. */
export async function addToDays(
  db: Transaction<Tables>,
  chainId: number,
  payments: readonly Row[],
): Promise<void> {
  const days = sumsOf(payments).filter((day) => !isZero(day))
  await inChunks(days, async (chunk) => {
    const stored = await db
      .selectFrom('payment_days')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where(isOneOf(chunk))
      .execute()
    const before = new Map(stored.map((row) => [nameOf(row), row]))
    await db
      .insertInto('payment_days')
      .values(chunk.map((day) => rowOf(chainId, day, before.get(nameOf(day)))))
      .onConflict((row) =>
        row
          .columns(['chain_id', 'subscription_id', 'day', 'token'])
          .doUpdateSet((set) =>
            Object.fromEntries([...AMOUNTS, ...COUNTS].map((name) => [name, set.ref(`excluded.${name}`)])),
          ),
      )
      .execute()
  })
}

/** The payments of each day, added up, so that each row is written once. */
function sumsOf(payments: readonly Row[]): Day[] {
  const days = new Map<string, Day>()
  for (const row of payments) {
    const { subscription_id, token, provider } = row
    const key = { subscription_id, token, provider, day: dayNumberAt(row.timestamp) }
    const day = days.get(nameOf(key)) ?? {
      ...key,
      ...recordOf(AMOUNTS, () => 0n),
      ...recordOf(COUNTS, () => 0),
    }
    days.set(nameOf(key), day)
    const amounts = amountsOf(row)
    for (const amount of AMOUNTS) day[amount] += amounts[amount] ?? 0n
    const counts = countsOf(row)
    for (const count of COUNTS) day[count] += counts[count] ?? 0
  }
  return [...days.values()]
}

function recordOf<Name extends string, Value>(names: readonly Name[], valueFor: (name: Name) => Value) {
  // Safe: each name has its value.
  return Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<Name, Value>
}

function amountsOf(row: Row): Partial<Amounts> {
  const isCharge = isChargeKind(row.kind)
  const toProvider = BigInt(row.to_provider)
  // All but a charge is paid to the provider out of the member's fee balance.
  return {
    [isCharge ? 'received' : 'out_of_fee_balances']: toProvider,
    into_fee_balances: BigInt(row.to_fee_balance),
    refunds: BigInt(row.to_subscriber),
    caller_fees: BigInt(row.caller_fee),
    system_shares: BigInt(row.system_share),
  }
}

/** @param row.members how the payment changed the number of members: 1 for a first charge of a new one, below 0 for an end */
function countsOf({ kind, members }: Row): Partial<Counts> {
  switch (PAYMENT_KINDS[kind]) {
    case 'firstCharge':
      return { payments: 1, joined: members }
    case 'period':
    case 'feeFill':
      return { payments: 1 }
    case 'left':
      return { left_count: -members }
    case 'dropped':
      return { failures: 1, dropped: -members }
    case 'removed':
      return { removed: -members }
    // A clean-up comes after the cancellation, which has ended the memberships already: its `members` is 0.
    case 'cleanedUp':
    case 'cancelled':
      return { cancelled: -members }
    default:
      throw new Error(`the store holds a payment of the kind ${kind}`)
  }
}

function isChargeKind(kind: number): boolean {
  const name = PAYMENT_KINDS[kind]
  return name !== undefined && CHARGES.includes(name)
}

/** The row of a day: what is stored, and what is added to it. */
function rowOf(
  chainId: number,
  day: Day,
  before: Selectable<PaymentDaysTable> | undefined,
): Insertable<PaymentDaysTable> {
  const { subscription_id, token, provider } = day
  return {
    chain_id: chainId,
    subscription_id,
    day: day.day,
    token,
    provider,
    ...recordOf(AMOUNTS, (name) => (day[name] + BigInt(before?.[name] ?? 0)).toString()),
    ...recordOf(COUNTS, (name) => day[name] + (before?.[name] ?? 0)),
  }
}

function isZero(day: Day): boolean {
  return AMOUNTS.every((name) => day[name] === 0n) && COUNTS.every((name) => day[name] === 0)
}

function isOneOf(keys: readonly DayKey[]): RawBuilder<SqlBool> {
  const rows = keys.map(
    ({ subscription_id, day, token }) => sql`(${subscription_id}, cast(${day} as bigint), ${token})`,
  )
  return sql`(${sql.ref('subscription_id')}, ${sql.ref('day')}, ${sql.ref('token')}) in (values ${sql.join(rows)})`
}

function nameOf({ subscription_id, day, token }: DayKey): string {
  return `${subscription_id} ${day} ${token}`
}
