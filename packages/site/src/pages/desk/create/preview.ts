import {
  type AmountRefusal,
  formatHuman,
  PROTOCOL_DECIMALS,
  parseHuman,
  rawToProtocol,
  toRaw,
} from '@remit/protocol/amounts'
import { dayNumberAt, dueDays, nextDueDay } from '@remit/protocol/calendar'
import { ChargeAmounts } from '@remit/protocol/charges/decideCharge'
import { feeFill, firstCharge, type PaymentSplit, splitToRaw, subscriptionFee } from '@remit/protocol/fees'
import { dueDayRange, type Frequency, isDueDay } from '@remit/protocol/subscription'
import { type MoneyToken, symbolOf } from '../../../words/money.ts'

/** What a provider has set so far. */
export interface Draft {
  /** The price as it was typed, maybe with a decimal comma. */
  readonly amount: string
  readonly frequency: Frequency
  readonly dueDay: number
}

interface DraftToken extends MoneyToken {
  readonly decimals: number
  /** The lowest price that the protocol takes: as a decimal, and in the smallest unit. */
  readonly minimum: string
  readonly minimumRaw: bigint
}

/** The state of the chain on which a plan's first charges depend. */
export interface Ground {
  /** Unix seconds of the newest block. */
  readonly timestamp: number
  /** Of each payment, as a factor over 10000. */
  readonly callerFee: bigint
  /** The first day that is not collected yet. */
  readonly nextUncheckedDay: number
}

/** What a plan means, in figures. Amounts are in the token's smallest unit. */
export interface Preview {
  readonly amountRaw: bigint
  /** What subscribing now takes. */
  readonly today: PaymentSplit & { readonly total: bigint }
  /** The due days of the next twelve months, as day numbers. */
  readonly days: readonly number[]
  /** What each later payment gives to whoever collects it. */
  readonly fee: bigint
  /** A payment that fills the reserve because it has run low. */
  readonly refill: PaymentSplit
  /** One subscriber's next twelve months: what is paid, and which part collectors get, the reserve keeps, the provider gets. */
  readonly year: {
    readonly paid: bigint
    readonly collectors: bigint
    readonly putAside: bigint
    readonly reachesYou: bigint
  }
}

export type DraftState =
  | { readonly ok: true; readonly preview: Preview }
  | { readonly ok: false; readonly problems: DraftProblems }

/** What is wrong, field by field. */
interface DraftProblems {
  readonly amount: string | undefined
  readonly dueDay: string | undefined
}

const DAYS_OF_A_YEAR = 365

/** Works out by the protocol's own rules what a plan means. No id and no subscriber is needed for it. */
export function previewOf(
  { amount, frequency, dueDay }: Draft,
  token: DraftToken,
  ground: Ground,
): DraftState {
  const { decimals } = token
  const parsed = parseHuman(amount.trim().replace(DECIMAL_COMMA, '$1.$2'), decimals)
  const exact = parsed.ok ? rawToProtocol(parsed.raw, decimals) : parsed
  const isLess = parsed.ok && parsed.raw < token.minimumRaw
  const { min, max } = dueDayRange(frequency)
  if (!parsed.ok || !exact.ok || isLess || !isDueDay(frequency, dueDay)) {
    const least = isLess ? `At least ${token.minimum} ${symbolOf(token)}.` : undefined
    return {
      ok: false,
      problems: {
        amount: exact.ok ? least : amountProblem(exact.reason, token),
        dueDay: isDueDay(frequency, dueDay) ? undefined : `Choose a day from ${min} to ${max}.`,
      },
    }
  }
  const terms = { amount: exact.amount, frequency, dueDay }
  const { timestamp, callerFee, nextUncheckedDay } = ground
  // `terms`, `split`, `fee` and fee balances are in protocol units, all that the preview says in the token's.
  const split = firstCharge({ terms, timestamp, callerFee, nextUncheckedDay })
  const day = dayNumberAt(timestamp)
  // Inclusive. The same day a year later is the first of the twelve months after these.
  const lastDay = day + DAYS_OF_A_YEAR - 1
  const days = dueDays(frequency, dueDay, Math.max(day, nextUncheckedDay), lastDay)
  const fee = subscriptionFee(exact.amount, callerFee)
  const first = splitToRaw(split, decimals)
  const later = new ChargeAmounts(
    { ...terms, id: '0x', feeBalance: split.toFeeBalance },
    { decimals, callerFee },
  ).after(days.length)
  const paid = first.total + later.taken
  const collectors = toRaw(fee * BigInt(days.length), decimals)
  const putAside = toRaw(later.feeBalance, decimals)
  return {
    ok: true,
    preview: {
      amountRaw: parsed.raw,
      today: first,
      days,
      fee: toRaw(fee, decimals),
      refill: splitToRaw(feeFill(terms), decimals),
      year: { paid, collectors, putAside, reachesYou: paid - collectors - putAside },
    },
  }
}

/** The day number of the first due day from this one on; `undefined` where the draft's day is none of its frequency. */
export function firstDueDay({ frequency, dueDay }: Draft, today: number): number | undefined {
  return nextDueDay(frequency, dueDay, today)
}

/** An exact amount of the token, as the API writes it. */
export function inToken(raw: bigint, { decimals }: Pick<DraftToken, 'decimals'>): string {
  return formatHuman(raw, decimals)
}

/** "9,99" can mean one thing only. "1,000" cannot: it may be a thousand. */
const DECIMAL_COMMA = /^(\d+),(\d{1,2}|\d{4,})$/

function amountProblem(reason: AmountRefusal['reason'], token: DraftToken): string {
  switch (reason) {
    case 'malformed':
      return 'Write a number such as 12.50 or 1000.'
    case 'too-precise':
      return `${symbolOf(token)} takes at most ${Math.min(token.decimals, PROTOCOL_DECIMALS)} decimals.`
    case 'too-large':
      return 'That is more than the token can express.'
  }
}
