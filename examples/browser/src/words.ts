import type { Subscription, Waiting, Warning } from '@remit/client'

const PERIODS = ['week', 'month', 'quarter', 'year'] as const
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** "12.5 USDC"; a token without a name is told by its address. */
export function money(amount: string, token: { symbol: string | null; address: string }): string {
  return `${amount} ${token.symbol ?? token.address}`
}

export function periodOf({ frequency }: Pick<Subscription, 'frequency'>): string {
  return PERIODS[frequency]
}

/** "12.5 USDC a week". */
export function price(subscription: Subscription): string {
  return `${money(subscription.amount, subscription.token)} a ${periodOf(subscription)}`
}

/** When in its period it is due, in UTC as the protocol counts. */
export function dueDayWords({ frequency, dueDay }: Pick<Subscription, 'frequency' | 'dueDay'>): string {
  if (frequency === 0) return `every ${WEEKDAYS[dueDay - 1] ?? `day ${dueDay} of the week`}`
  return `on day ${dueDay} of every ${PERIODS[frequency]}`
}

/** "Friday, 27 November 2026". */
export function dateWords(day: { date: string } | null | undefined, otherwise = 'never'): string {
  return day ? DATE.format(new Date(`${day.date}T00:00:00Z`)) : otherwise
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** "27 Nov 2026, 14:03 UTC". */
export const momentWords = (moment: Date) => `${MOMENT.format(moment)} UTC`

/** "0x7099…79C8". */
export const short = (hex: string) => `${hex.slice(0, 6)}…${hex.slice(-4)}`

/** A warning in plain words; one that this page does not know in the service's own. */
export function warningWords(warning: Warning, subscription: Subscription): string {
  switch (warning.code) {
    case 'BACKLOG_CHARGE':
      return (
        `A payment for ${dateWords(subscription.overdue[0] ?? subscription.nextDue, 'an earlier day')} has not been collected yet. If you subscribe ` +
        `now, the next collection takes a whole ${money(subscription.amount, subscription.token)} from you, perhaps ` +
        'within minutes and on top of what is taken now. To avoid it, subscribe after that collection.'
      )
    case 'INSUFFICIENT_GAS_FUNDS':
      return 'This wallet has too little of the chain’s own coin to pay for sending the transactions.'
    case 'SIMULATION_PARTIAL':
      return 'The transactions could only partly be tried out beforehand.'
    default:
      return warning.message
  }
}

/** What the client waits for. */
export function waitingWords(waiting: Waiting): string {
  const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`
  switch (waiting.for) {
    case 'limit':
      return `The service’s limit is reached for now; it goes on in ${seconds(waiting.forMs)}.`
    case 'block':
      return 'Waiting until the service has seen your last transaction.'
    case 'service':
      return `The service does not answer; it is asked again in ${seconds(waiting.forMs)}.`
    case 'node':
      return 'Waiting until your wallet’s network has seen the transaction before this one.'
    case 'receipt':
      return `Sent ${seconds(waiting.sinceMs)} ago; still waiting for the chain.`
  }
}

/** What a function of a contract does for the person who signs it. */
const DEEDS: Readonly<Record<string, string>> = {
  approve: 'Allow the protocol to take the token',
  subscribe: 'Subscribe',
  unsubscribe: 'Unsubscribe',
}

/** What is signed with these functions, such as "Allow the protocol to take the token and subscribe". */
export function deedOf(functions: readonly string[]): string {
  const [first = '', ...more] = functions.map((name) => DEEDS[name] ?? name)
  return [first, ...more.map((deed) => deed.charAt(0).toLowerCase() + deed.slice(1))].join(' and ')
}
