import type { Subscription, Warning } from '@remit/client'
import { Note } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { etherLack, onlyIfPaid } from '../../../signing/etherLack.ts'
import type { Sponsor } from '../../../signing/sponsor.ts'
import { AddMoney, type Lack } from '../../../wallet/AddMoney.tsx'
import { connected } from '../../../wallet/wallet.ts'
import { isEndless, moneyWords, shortMoneyWords } from '../../../words/money.ts'
import { type Day, dayWords, momentUtcWords } from '../../../words/time.ts'

/** A chunk of its own: few wallets lack ether. */
const LackOfEther = later(async () => (await import('../../../signing/LackOfEther.tsx')).LackOfEther)

/** The warnings of a readiness or of what was prepared. They do not prevent subscribing. `WalletTerms` tells shorter coverage. */
export function Warnings({
  warnings,
  plan,
  today,
  sponsor,
}: {
  readonly warnings: readonly Warning[]
  readonly plan: Subscription
  /** The chain's day, as a day number. */
  readonly today: number | undefined
  /** Who offers to pay the network's fee. */
  readonly sponsor?: Sponsor | undefined
}) {
  const lack = etherLack(warnings, sponsor)
  const shown = warnings.filter(
    ({ code }) =>
      code !== 'SHORTENS_COVERAGE' && (code !== 'INSUFFICIENT_GAS_FUNDS' || sponsor !== undefined),
  )
  return (
    <>
      {lack === undefined ? null : <LackOfEther lack={lack} />}
      {shown.map((warning) => (
        // Several may have one code (those of permits), so the message tells them apart.
        <Note key={warning.message} kind="mind">
          <p>{warningWords(warning, plan, { today, sponsor })}</p>
          {warning.code === 'BALANCE_SHORT' ? <Missing warning={warning} plan={plan} /> : null}
        </Note>
      ))}
    </>
  )
}

/** A warning in plain words. One that this page does not know is told by the service's sentence. */
function warningWords(
  warning: Warning,
  plan: Subscription,
  { today, sponsor }: { readonly today: number | undefined; readonly sponsor: Sponsor | undefined },
): string {
  const { token } = plan
  switch (warning.code) {
    case 'BACKLOG_CHARGE':
      return backlogWords(plan, today)
    case 'BALANCE_SHORT': {
      const missing = quantityIn(warning.missing)
      const [by, through] = [dayIn(warning.by), dayIn(warning.through)]
      if (missing === undefined || by === undefined || through === undefined) {
        return 'Your wallet does not hold enough for the first payments. Add money before they are due.'
      }
      return (
        `Your wallet holds too little from the payment of ${dayWords(by)} on, and a payment that fails ends its subscription. ` +
        `With ${shortMoneyWords(missing.amount, token, 'up')} more there is enough for all that falls due in this token up to ` +
        `${dayWords(through)}, for this plan and for your others. Less may do for the first day: “My subscriptions” tells it.`
      )
    }
    case 'INSUFFICIENT_GAS_FUNDS':
      return sponsor === undefined ? warning.message : onlyIfPaid(sponsor)
    case 'PERMIT_OUTSTANDING':
      return outstandingWords(warning, token) ?? warning.message
    case 'SIMULATION_PARTIAL':
      return 'What you would sign could be tried out only in part.'
    case 'DAY_ENDS_SOON':
      return 'The day ends soon (at midnight UTC), and after that another amount is taken at once. Sign before, or look again.'
    default:
      return warning.message
  }
}

/** What is taken soon for days that are due already and not collected yet. */
function backlogWords(
  { amount, token, overdue: [first], overdueCount, nextDue }: Subscription,
  today: number | undefined,
): string {
  const price = moneyWords(amount, token)
  if (first === undefined) {
    return (
      `Today is a payment day, and today’s payments have not been collected yet. Subscribe now, and ${price} more ` +
      'is taken from you when they are: it pays until the next payment day. Or subscribe tomorrow (in UTC), once ' +
      'today’s are collected: then you pay for the days that are left until the next payment day, and nothing for today.'
    )
  }
  // `overdue` has the days before today. Today, not collected either, is one more.
  const isToday = nextDue !== null && nextDue.dayNumber === today
  const days = overdueCount + (isToday ? 1 : 0)
  return days === 1
    ? `The payment of ${dayWords(first)} has not been collected yet. Subscribe now, and a whole ${price} is taken ` +
        'from you for it, perhaps within minutes. Or wait until it is collected: this note is gone then, and you ' +
        'pay nothing for it.'
    : `${days} payment days, from ${dayWords(first)} ${isToday ? 'to today' : 'on'}, have not been collected yet. Subscribe ` +
        `now, and a whole ${price} is taken from you for each, perhaps within minutes. Or wait until they are ` +
        'collected: this note is gone then, and you pay nothing for them.'
}

/** What a permission that was signed before can still do to what is signed now. */
function outstandingWords({ value, deadline }: Warning, token: Subscription['token']): string | undefined {
  const permitted = quantityIn(value)
  // Whether there is one cannot be told.
  if (permitted === undefined) return undefined
  const until = typeof deadline === 'number' ? ` until ${momentUtcWords(new Date(deadline * 1000))}` : ''
  if (permitted.amountRaw === 0n) {
    return `You have signed before that the permission is taken back. Whoever has that link can still do it after this${until}, and then the next payment fails.`
  }
  const which = isEndless(permitted)
    ? 'a permission without limit'
    : `a permission of ${moneyWords(permitted.amount, token)} in all`
  return `You have signed ${which} before. Whoever has that link can still put it in the place of this one${until}.`
}

/** Where to send what is missing: out of the way until somebody asks. */
function Missing({ warning, plan }: { readonly warning: Warning; readonly plan: Subscription }) {
  const missing = quantityIn(warning.missing)
  const address = connected.value?.address
  if (missing === undefined || address === undefined) return null
  return (
    <details>
      <summary>Add money to this wallet</summary>
      <AddMoney missing={missing} token={plan.token} address={address} />
    </details>
  )
}

function dayIn(fact: unknown): Day | undefined {
  const { dayNumber, date } = Object(fact)
  return typeof dayNumber === 'number' && typeof date === 'string' ? { dayNumber, date } : undefined
}

function quantityIn(fact: unknown): Lack | undefined {
  const { amount, amountRaw } = Object(fact)
  const isRaw = typeof amountRaw === 'string' && /^\d+$/.test(amountRaw)
  return typeof amount === 'string' && isRaw ? { amount, amountRaw: BigInt(amountRaw) } : undefined
}
