import type { Subscription, Warning } from '@remit/client'
import { Note } from '../../../design/Card.tsx'
import { pageData } from '../../../page/pageData.ts'
import { moneyWords } from '../../../words/money.ts'

/** Warnings that the page shows elsewhere already. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['SHORTENS_COVERAGE'])

/** Warnings: they do not prevent subscribing. */
export function Warnings({
  warnings,
  plan,
}: {
  readonly warnings: readonly Warning[]
  readonly plan: Subscription
}) {
  const shown = warnings.filter(({ code }) => !SHOWN_ELSEWHERE.has(code))
  return (
    <>
      {shown.map((warning) => (
        <Note key={warning.code} kind="mind">
          <p>{warningWords(warning, plan)}</p>
        </Note>
      ))}
    </>
  )
}

/** A warning in plain words; one that this page does not know in the service's own. */
function warningWords(warning: Warning, { amount, token }: Subscription): string {
  const price = moneyWords(amount, token)
  switch (warning.code) {
    case 'BACKLOG_CHARGE':
      return (
        `An earlier payment day is still to be collected. If you subscribe now, a whole ${price} is taken for it, ` +
        'perhaps within minutes, beside what is taken at once. To avoid that, come back when it has been collected.'
      )
    case 'BALANCE_SHORT': {
      const missing = quantityIn(warning.missing)
      return missing === undefined
        ? 'Your wallet does not hold enough for the first payments. Add money before they are due.'
        : `Your wallet holds ${moneyWords(missing, token)} too little for the first three payments. Add it before ` +
            'they are due, or you are unsubscribed.'
    }
    case 'INSUFFICIENT_GAS_FUNDS':
      return `Your wallet has too little ether on ${pageData.chain?.name ?? 'this network'} for the network’s fee. Add some first.`
    case 'SIMULATION_PARTIAL':
      return 'What you would sign could be tried out only in part.'
    case 'DAY_ENDS_SOON':
      return 'The day ends soon (at midnight UTC), and after that another amount is taken at once. Sign before, or look again.'
    default:
      return warning.message
  }
}

function quantityIn(fact: unknown): string | undefined {
  const { amount } = Object(fact)
  return typeof amount === 'string' ? amount : undefined
}
