import type { ListProviderPaymentsAnswer, RevenueInterval, TokenRevenue } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { CsvColumn } from '../spreadsheet/csv.ts'
import { feeOf } from '../spreadsheet/feeOf.ts'
import { strangersText } from '../words/strangersText.ts'

type Token = TokenRevenue['token']
type Payment = ListProviderPaymentsAnswer['payments'][number]

// Sums of payments for books: those that the API has added up by week or month (`sumsOf`), those that are added up here by plan
// (`sumsByPlan`), and their columns in files.

/**
 * What payments of one token come to, in its smallest unit. A member's reserve (the API's fee balance) is what the contract
 * holds for a member to pay who calls remit. What is left of it when the membership ends is divided.
 */
export interface Sums {
  readonly token: Token
  readonly payments: number
  readonly failures: number
  /** By members: `byPayments` plus `intoReserve`. */
  readonly paid: bigint
  /** What went from payments to the provider at once. */
  readonly byPayments: bigint
  readonly intoReserve: bigint
  /** To the provider, of the reserves of memberships that ended. */
  readonly leftOfReserves: bigint
  /** To the provider: `byPayments` plus `leftOfReserves`. */
  readonly cameIn: bigint
  /** To members, of their reserves. */
  readonly backToMembers: bigint
  /** Out of reserves, to callers and the system: no part of `paid` and `cameIn`. */
  readonly fee: bigint
}

/** What an interval of the API and its total have in common. */
export type Figures = Omit<
  RevenueInterval,
  'from' | 'to' | 'complete' | 'subscribers' | 'feeBalancesAtEnd' | 'mrrAtEnd' | 'churn'
>

/** The sums of an interval, as the API has added them up. */
export function sumsOf(token: Token, figures: Figures): Sums {
  return {
    token,
    payments: figures.payments,
    failures: figures.failures,
    paid: figures.charged.amountRaw,
    byPayments: figures.received.amountRaw,
    intoReserve: figures.intoFeeBalances.amountRaw,
    leftOfReserves: figures.feeBalancesReceived.amountRaw,
    cameIn: figures.arrived.amountRaw,
    backToMembers: figures.refunds.amountRaw,
    fee: feeOf({ callerFee: figures.keptByCallers, systemShare: figures.keptBySystem }),
  }
}

/** The sums of a month or week, and what reserves held at its end (where it goes on, what they hold now). */
export interface IntervalSums extends Sums, Pick<RevenueInterval, 'from' | 'to' | 'complete'> {
  readonly inReserves: bigint
}

export function intervalSums(token: Token, interval: RevenueInterval): IntervalSums {
  const { from, to, complete, feeBalancesAtEnd } = interval
  return { ...sumsOf(token, interval), from, to, complete, inReserves: feeBalancesAtEnd.amountRaw }
}

/** Whether there is anything to show of them. */
export function hasMoved({ payments, failures, cameIn, backToMembers, fee }: Sums): boolean {
  return payments + failures > 0 || cameIn > 0n || backToMembers > 0n || fee > 0n
}

/** The sums of one plan in one token. */
export interface PlanSums extends Sums {
  readonly subscriptionId: Payment['subscriptionId']
  /** A stranger's words. */
  readonly description: string | null
}

/** Whether a row is a payment by a member. The other rows divide the reserve of a membership that ended. */
export function isCharge({ kind }: Pick<Payment, 'kind'>): boolean {
  return kind === 'firstCharge' || kind === 'period' || kind === 'feeFill'
}

/**
 * What the rows of a list of payments are: "15 payments and 1 ended subscription". An ended subscription has a row too, for
 * what was left of its reserve. It is no payment.
 */
export function rowsWords(payments: number, ended: number): string {
  const counted = (count: number, one: string) =>
    `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
  if (ended === 0) return counted(payments, 'payment')
  const ends = counted(ended, 'ended subscription')
  return payments === 0 ? ends : `${counted(payments, 'payment')} and ${ends}`
}

/** Adds payments up by plan and token, by the rules of the API's own sums. In the order of the tokens' symbols. */
export function sumsByPlan(payments: readonly Payment[]): PlanSums[] {
  const sums = new Map<string, PlanSums>()
  for (const payment of payments) {
    const { subscriptionId, description, token, kind } = payment
    const key = `${subscriptionId}${token.address}`
    const before = sums.get(key)
    const isPaid = isCharge(payment)
    const received = payment.toProvider.amountRaw
    sums.set(key, {
      subscriptionId,
      description,
      token,
      payments: (before?.payments ?? 0) + (isPaid ? 1 : 0),
      failures: (before?.failures ?? 0) + (kind === 'dropped' ? 1 : 0),
      paid: (before?.paid ?? 0n) + payment.charged.amountRaw,
      byPayments: (before?.byPayments ?? 0n) + (isPaid ? received : 0n),
      intoReserve: (before?.intoReserve ?? 0n) + payment.toFeeBalance.amountRaw,
      leftOfReserves: (before?.leftOfReserves ?? 0n) + (isPaid ? 0n : received),
      cameIn: (before?.cameIn ?? 0n) + received,
      backToMembers: (before?.backToMembers ?? 0n) + payment.toSubscriber.amountRaw,
      fee: (before?.fee ?? 0n) + feeOf(payment),
    })
  }
  return [...sums.values()].sort((one, other) => byToken(one, other))
}

/** Tokens in the order of their symbols, so that they stand alike in each month. */
export function byToken({ token: one }: Pick<Sums, 'token'>, { token: other }: Pick<Sums, 'token'>): number {
  return (
    (one.symbol ?? '').localeCompare(other.symbol ?? '', 'en') ||
    one.address.localeCompare(other.address, 'en')
  )
}

const amount = (read: (sums: Sums) => bigint) => (sums: Sums) => formatHuman(read(sums), sums.token.decimals)

/** The columns that each file of sums has. The guide “Close a month” says what they are. */
export const SUM_FIELDS: readonly CsvColumn<Sums>[] = [
  ['currency', ({ token }) => strangersText(token.symbol ?? '')],
  ['payments', ({ payments }) => payments],
  ['failed', ({ failures }) => failures],
  ['paid', amount(({ paid }) => paid)],
  ['into reserves', amount(({ intoReserve }) => intoReserve)],
  ['from ended reserves', amount(({ leftOfReserves }) => leftOfReserves)],
  ['came in', amount(({ cameIn }) => cameIn)],
  ['back to members', amount(({ backToMembers }) => backToMembers)],
  ['fees out of reserves', amount(({ fee }) => fee)],
  ['token', ({ token }) => token.address],
]

/** The columns of a file of months or weeks. */
export const INTERVAL_FIELDS: readonly CsvColumn<IntervalSums>[] = [
  ...SUM_FIELDS,
  ['in reserves at the end', ({ inReserves, token }) => formatHuman(inReserves, token.decimals)],
]
