import type { GetAccountOutlookAnswer, OutlookToken, Subscription } from '@remit/client'
import { extendedAllowance } from '@remit/protocol/allowance'
import { rawToProtocol } from '@remit/protocol/amounts'
import type { Membership } from './memberships.ts'

/** The choices: for how many payments of each subscription a permission can be made to last. */
const PERIODS = [1, 3, 6, 12, 24, 60]

/** The choice that the page proposes where it can: of a monthly plan it is a year. */
export const WISHED_PERIODS = 12

interface ExtensionInput {
  readonly row: Pick<OutlookToken, 'token' | 'allowance'>
  /** The running subscriptions that draw on the token. */
  readonly plans: readonly Subscription[]
  readonly nextUncheckedDay: number
}

interface Extension {
  readonly periods: number
  /** The day number through which it covers all payments of the subscriptions. */
  readonly coversUntil: number
}

/** The choices that make a permission larger. The service refuses the others: the permission lasts as long already. */
export function extensionsOf({ row, plans, nextUncheckedDay }: ExtensionInput): Extension[] {
  const { decimals } = row.token
  const subscriptions = plans.flatMap(({ id, amountRaw, frequency, dueDay }) => {
    const exact = rawToProtocol(amountRaw, decimals)
    return exact.ok ? [{ id, frequency, dueDay, amount: exact.amount }] : []
  })
  return PERIODS.flatMap((periods) => {
    const walk = { subscriptions, decimals, approvalPeriods: periods, nextUncheckedDay }
    const extended = extendedAllowance(walk)
    return extended !== undefined && extended.needed > row.allowance.amountRaw
      ? [{ periods, coversUntil: extended.coversUntil }]
      : []
  })
}

/** A period of each frequency in days, or some days less. */
const PERIOD_DAYS = [7, 28, 90, 365]

/** What draws on a permission. */
interface Draws {
  readonly token: Pick<OutlookToken['token'], 'address'>
  /** Those that run. */
  readonly rows: readonly Membership[]
  readonly outlook: GetAccountOutlookAnswer
}

/**
 * The proposed choice that makes a permission last for the payment of a plan on that day, and where it can be for `WISHED_PERIODS` of its
 * payments; `undefined` where none does. Beside a plan that pays more seldom, a small choice lasts so long: a large one costs far more.
 */
export function periodsThrough(
  { frequency }: Pick<Subscription, 'frequency'>,
  dayNumber: number,
  { token, rows, outlook }: Draws,
): number | undefined {
  const { wallet, remit } = outlook
  const wished = remit.nextUncheckedDay.dayNumber + (WISHED_PERIODS - 1) * (PERIOD_DAYS[frequency] ?? 0)
  const row = wallet.tokens.find((one) => one.token.address === token.address)
  if (row === undefined) return undefined
  const plans = plansIn(token.address, rows)
  const choices = extensionsOf({ row, plans, nextUncheckedDay: remit.nextUncheckedDay.dayNumber })
  const enough = choices.filter(({ coversUntil }) => coversUntil >= dayNumber)
  return (enough.find(({ coversUntil }) => coversUntil >= wished) ?? enough.at(-1))?.periods
}

/** The subscriptions in a token. */
export function plansIn(address: string, rows: readonly Membership[]): Subscription[] {
  return rows.map(({ subscription }) => subscription).filter(({ token }) => token.address === address)
}
