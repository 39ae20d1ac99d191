import type { GetAccountOutlookAnswer, OutlookCharge } from '@remit/client'
import { nextDueDay } from '@remit/protocol/calendar'
import type { Lack } from '../../wallet/AddMoney.tsx'
import { failingBefore } from '../../words/failing.ts'
import { shortMoneyWords } from '../../words/money.ts'
import { dayBefore, FAR_DAYS } from '../../words/outlook.ts'
import { type Day, dateWords, dayWords, shortDayWords } from '../../words/time.ts'
import type { Membership } from './memberships.ts'

// What the page says of payments and subscriptions: whether they will succeed, until when, and what is missing. It goes by two answers:
// - the outlook, a simulation of the next months: charges of all plans by day, each with its verdict. It may be missing, and it lists
//   only the first charges of its days (`counts.charges` tells how many there are, `through` is its last day);
// - `covers` of each subscription, counted from allowance and balance alone: how many charges they pay (`periods`; null without
//   end), the day of the first charge that fails (`failsOn`), and what is short for it (`limitedBy`).
// What the outlook lists of a subscription decides. `covers` decides of days that the outlook does not list.

/** A short statement, and its kind, which colours it: `mind` is a warning. */
export interface Verdict {
  readonly kind: 'good' | 'mind' | 'bad'
  readonly words: string
}

/** By the outlook's verdict. `waits`: collecting is held up, and the payment is taken later. `skipped`: it is never taken. */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  pays: { kind: 'good', words: 'Will be paid' },
  fails: { kind: 'bad', words: 'Not covered' },
  waits: { kind: 'mind', words: 'Waits' },
  skipped: { kind: 'mind', words: 'Passed over' },
}
const NOT_KNOWN: Verdict = { kind: 'mind', words: 'Not known' }

/** From so many days before on, a payment that lacks money alarms: nobody keeps the money of months in the wallet. */
const ALARM_DAYS = 14

/** The verdict of one charge. One that is not covered alarms only where it is next or soon. */
export function chargeVerdict(charge: OutlookCharge, outlook: GetAccountOutlookAnswer): Verdict {
  const { verdict, day, subscriptionId } = charge
  if (verdict === 'fails' && !isUrgent(day, chargesOf(subscriptionId, outlook), outlook.today.dayNumber)) {
    return { ...(VERDICTS.fails ?? NOT_KNOWN), kind: 'mind' }
  }
  return VERDICTS[verdict] ?? NOT_KNOWN
}

/** Whether the payment that fails on a day is the plan's next one, or within `ALARM_DAYS`. */
function isUrgent(
  failsOn: Day,
  charges: readonly OutlookCharge[],
  today: number | null | undefined,
): boolean {
  const next = charges[0]?.day ?? failsOn
  if (failsOn.dayNumber <= next.dayNumber || today === null || today === undefined) return true
  return failsOn.dayNumber - today <= ALARM_DAYS
}

/** The verdicts from worst to best: a plan has the worst one of its charges. */
const WORST_FIRST: readonly string[] = ['fails', 'waits', 'skipped', 'pays']

/**
 * The verdict of a subscription. If it ends on a day of the outlook: "Ends on" that day where that is urgent, else "Covered through" the
 * day before. If it does not: the verdict of its worst listed charge; where all of them will be paid and `covers` names a first failure,
 * "Covered through" the day before that.
 * @param today the chain's day; `undefined` or null where it is not known
 */
export function verdictOf(
  row: Membership,
  outlook: GetAccountOutlookAnswer | undefined,
  today: number | null | undefined,
): Verdict {
  const worst = worstCharge(row, outlook)
  const endsOn = dayOfFailure(row, outlook)
  if (endsOn !== undefined) {
    return isUrgent(endsOn, chargesOf(row.subscription.id, outlook), today)
      ? { kind: 'bad', words: endsWords(endsOn, today) }
      : { kind: 'good', words: coveredBefore(endsOn, today) }
  }
  const verdict = worst === undefined ? byTokenAlone(row) : (VERDICTS[worst.verdict] ?? NOT_KNOWN)
  const { periods, failsOn } = row.covers ?? {}
  // `covers` begins with the day that remit has not finished, and counts what was charged on that day already once more. So it can say
  // that no charge is paid (0 periods) where the outlook shows that all are: then no day is named.
  if (verdict.kind !== 'good' || periods === 0 || !failsOn) return verdict
  return { kind: 'good', words: coveredBefore(failsOn, today) }
}

/** When it ends. A payment that is due already may be tried at any moment. */
function endsWords(failsOn: Day, today: number | null | undefined): string {
  const isDue = today !== null && today !== undefined && failsOn.dayNumber <= today
  return isDue ? 'About to end' : `Ends on ${shortDayWords(failsOn, today)}`
}

/** "Covered through …": the day before the first payment that would fail. */
function coveredBefore(failsOn: Day, today: number | null | undefined): string {
  const isFar = today !== null && today !== undefined && failsOn.dayNumber - today > FAR_DAYS
  return isFar ? 'Covered for over 10 years' : `Covered through ${dateWords(dayBefore(failsOn).dayNumber)}`
}

/** The verdict where nothing but the token could stop a payment. */
function byTokenAlone({ tokenPaused }: Membership): Verdict {
  return (tokenPaused ? VERDICTS.skipped : VERDICTS.pays) ?? NOT_KNOWN
}

/** How a subscription would end, as things stand. */
export interface Failure {
  readonly day: Day
  /** Of other plans, what fails before it in its token. That has ended by then, so what is missing does not count it. */
  readonly before: readonly OutlookCharge[]
  /** How much money is missing for that day's payment; `undefined` where there is enough, or it is not known. */
  readonly money: Lack | undefined
  /** How much the permission lacks for it; `undefined` where it lacks nothing, or it is not known. */
  readonly permission: Lack | undefined
  /** Whether the permission is too small for it. */
  readonly lacksPermission: boolean
}

/** What would end the subscription, and when; `undefined` where nothing would within the outlook. */
export function failureOf(
  row: Membership,
  outlook: GetAccountOutlookAnswer | undefined,
): Failure | undefined {
  const day = dayOfFailure(row, outlook)
  if (day === undefined) return undefined
  const worst = worstCharge(row, outlook)
  const missing = worst?.missing
  return {
    day,
    before: outlook && missing ? failingBefore(worst, outlook) : [],
    money: missing?.balance.amountRaw ? missing.balance : undefined,
    permission: missing?.allowance.amountRaw ? missing.allowance : undefined,
    lacksPermission: missing ? missing.allowance.amountRaw > 0n : row.covers?.limitedBy === 'allowance',
  }
}

/**
 * Another plan in the token that ends while this one, which is covered, goes on being paid: that leaves more for it. `undefined` where none
 * does.
 */
export function otherEndOf(
  { subscription, covers }: Membership,
  outlook: GetAccountOutlookAnswer | undefined,
) {
  const { token, frequency, dueDay } = subscription
  const first = outlook?.charges.find(
    (charge) => charge.verdict === 'fails' && charge.token === token.address,
  )
  if (first === undefined || !covers?.failsOn) return first
  const next = nextDueDay(frequency, dueDay, first.day.dayNumber)
  return next !== undefined && next < covers.failsOn.dayNumber ? first : undefined
}

/** What its payment lacks, and what to do about it. */
export function failWords(
  row: Membership,
  failure: Failure,
  outlook: GetAccountOutlookAnswer | undefined,
): string {
  const { token } = row.subscription
  const held = outlook?.wallet.tokens.find((one) => one.token.address === token.address)
  const inTime = inTimeWords(failure.day, outlook)
  const which = `For the payment of ${dayWords(failure.day)}`
  const money = failure.money && shortMoneyWords(failure.money.amount, token, 'up')
  if (held?.allowance.amountRaw === 0n) {
    const lack = money === undefined ? '' : `the wallet holds ${money} too little, and `
    const add = money === undefined ? '' : 'add money and '
    return `${which} ${lack}there is no permission any more, so it cannot be taken. To keep the subscription, ${add}allow payments again ${inTime}.`
  }
  const permission = failure.permission && shortMoneyWords(failure.permission.amount, token, 'up')
  if (money !== undefined && permission !== undefined) {
    return `${which} the wallet holds ${money} too little, and the permission is ${permission} too small. Add money and extend the permission ${inTime}.`
  }
  if (money !== undefined) return `${which} the wallet holds ${money} too little. Add money ${inTime}.`
  if (permission !== undefined)
    return `${which} the permission is ${permission} too small. Extend the permission ${inTime}.`
  return failure.lacksPermission
    ? `${which} the permission is too small. Extend the permission ${inTime}.`
    : `${which} the wallet holds too little. Add money ${inTime}.`
}

/** What its payment lacks where other plans fail before it: "8.35 USDC for its payment of Fri, 1 Jan 2027". */
export function laterWords(
  { subscription: { token } }: Membership,
  { day, money, permission }: Failure,
): string {
  const lacks = [
    money && shortMoneyWords(money.amount, token, 'up'),
    permission && `permission for ${shortMoneyWords(permission.amount, token, 'up')}`,
  ].filter((lack) => lack !== undefined)
  return `${lacks.length === 0 ? 'something' : lacks.join(' and ')} for its payment of ${dayWords(day)}`
}

/** The first charge with the worst verdict. */
function worstCharge(
  row: Membership,
  outlook: GetAccountOutlookAnswer | undefined,
): OutlookCharge | undefined {
  const own = chargesOf(row.subscription.id, outlook)
  const worst = WORST_FIRST.map((verdict) => own.find((charge) => charge.verdict === verdict))
  return worst.find((charge) => charge !== undefined) ?? own[0]
}

function chargesOf(id: string, outlook: GetAccountOutlookAnswer | undefined): readonly OutlookCharge[] {
  return outlook?.charges.filter(({ subscriptionId }) => subscriptionId === id) ?? []
}

/**
 * The day on which a subscription ends for want of money or permission: of a listed charge that fails; else `failsOn` of `covers`, if no
 * charge is listed and the next one fails, or if that day is one that the outlook covers but does not list. Else `undefined`.
 */
function dayOfFailure(row: Membership, outlook: GetAccountOutlookAnswer | undefined): Day | undefined {
  const worst = worstCharge(row, outlook)
  if (worst?.verdict === 'fails') return worst.day
  const { tokenPaused, covers } = row
  if (tokenPaused || !covers?.failsOn) return undefined
  const isNextFailing = worst === undefined && covers.periods === 0
  return isNextFailing || isUnlisted(covers.failsOn, outlook) ? covers.failsOn : undefined
}

/** Whether a day is within the outlook's days, at or behind the last charge that it lists, and there are more than it lists. */
function isUnlisted({ dayNumber }: Day, outlook: GetAccountOutlookAnswer | undefined): boolean {
  if (outlook === undefined) return false
  const { charges, counts, through } = outlook
  const lastListed = charges.at(-1)?.day.dayNumber ?? 0
  return charges.length < counts.charges && dayNumber >= lastListed && dayNumber <= through.dayNumber
}

function inTimeWords(failsOn: Day, outlook: GetAccountOutlookAnswer | undefined): string {
  return outlook !== undefined && failsOn.dayNumber <= outlook.today.dayNumber
    ? 'at once: the payment is tried as soon as somebody collects, perhaps within minutes'
    : 'before that day begins (in UTC)'
}
