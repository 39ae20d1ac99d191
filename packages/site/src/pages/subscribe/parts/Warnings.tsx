import type { Subscription, Warning } from '@remit/client'
import { Note } from '../../../design/Card.tsx'
import { shortOfEther } from '../../../signing/ReviewFoot.tsx'
import type { Sponsor } from '../../../signing/sponsor.ts'
import { AddMoney } from '../../../wallet/AddMoney.tsx'
import { connected } from '../../../wallet/wallet.ts'
import { moneyWords, shortMoneyWords } from '../../../words/money.ts'
import { type Day, dayWords } from '../../../words/time.ts'

/** Warnings that the page shows elsewhere already. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['SHORTENS_COVERAGE'])

/** Warnings: they do not prevent subscribing. */
export function Warnings({
  warnings,
  plan,
  sponsor,
}: {
  readonly warnings: readonly Warning[]
  readonly plan: Subscription
  /** Who offers to pay the network's fee. */
  readonly sponsor?: Sponsor | undefined
}) {
  const shown = warnings.filter(({ code }) => !SHOWN_ELSEWHERE.has(code))
  return (
    <>
      {shown.map((warning) => (
        <Note key={warning.code} kind="mind">
          <p>{warningWords(warning, plan, sponsor)}</p>
          {warning.code === 'BALANCE_SHORT' ? <Missing warning={warning} plan={plan} /> : null}
        </Note>
      ))}
    </>
  )
}

/** A warning in plain words; one that this page does not know in the service's own. */
function warningWords(
  warning: Warning,
  { amount, token, overdue, overdueCount }: Subscription,
  sponsor: Sponsor | undefined,
): string {
  const price = moneyWords(amount, token)
  switch (warning.code) {
    case 'BACKLOG_CHARGE':
      return overdue[0] === undefined
        ? `Today’s payment has not been collected yet. A whole ${price} is taken from you for it, too, and pays until the ` +
            'next payment day. Who subscribes from tomorrow on (in UTC), once it has been collected, pays for the days ' +
            'that are left instead.'
        : `${overdueCount === 1 ? 'One payment day that is' : `${overdueCount} payment days that are`} over, from ` +
            `${dayWords(overdue[0])} on, wait to be collected. If you subscribe now, a whole ${price} is taken from you ` +
            'for each, perhaps within minutes. Once they have been collected this note is gone, and you do not pay for them.'
    case 'BALANCE_SHORT': {
      const missing = quantityIn(warning.missing)
      const needed = quantityIn(warning.needed)
      const [by, through] = [dayIn(warning.by), dayIn(warning.through)]
      if (missing === undefined || needed === undefined || by === undefined || through === undefined) {
        return 'Your wallet does not hold enough for the first payments. Add money before they are due.'
      }
      return (
        `Your money does not reach the payment of ${dayWords(by)}: it fails unless you add some before that day, and ` +
        'that ends its subscription. The first part and the three payments after it, up to ' +
        `${dayWords(through)}, come to ${shortMoneyWords(needed, token, 'up')} with all that your wallet pays in this ` +
        `token: ${shortMoneyWords(missing, token, 'up')} more than it holds.`
      )
    }
    case 'INSUFFICIENT_GAS_FUNDS':
      return shortOfEther(sponsor)
    case 'SIMULATION_PARTIAL':
      return 'What you would sign could be tried out only in part.'
    case 'DAY_ENDS_SOON':
      return 'The day ends soon (at midnight UTC), and after that another amount is taken at once. Sign before, or look again.'
    default:
      return warning.message
  }
}

/** Where to send what is missing: out of the way until somebody asks. */
function Missing({ warning, plan }: { readonly warning: Warning; readonly plan: Subscription }) {
  const amount = quantityIn(warning.missing)
  const address = connected.value?.address
  if (amount === undefined || address === undefined) return null
  return (
    <details>
      <summary>Add money to this wallet</summary>
      <AddMoney amount={amount} token={plan.token} address={address} />
    </details>
  )
}

function dayIn(fact: unknown): Day | undefined {
  const { dayNumber, date } = Object(fact)
  return typeof dayNumber === 'number' && typeof date === 'string' ? { dayNumber, date } : undefined
}

function quantityIn(fact: unknown): string | undefined {
  const { amount } = Object(fact)
  return typeof amount === 'string' ? amount : undefined
}
