import type { Warning } from '@remit/client'
import { Note } from '../design/Card.tsx'
import { later } from '../design/later.tsx'
import { momentUtcWords } from '../words/time.ts'
import { etherLack, onlyIfPaid } from './etherLack.ts'
import { Spender, spenderIn } from './Spender.tsx'
import type { Sponsor } from './sponsor.ts'
import type { PreparedAnswer } from './startSigning.ts'

/** A chunk of its own: few wallets lack ether. */
const LackOfEther = later(async () => (await import('./LackOfEther.tsx')).LackOfEther)

/** What reviews end with but that of subscribing, which has an end of its own: the network's fee, until when it holds, and what to mind. */
export function ReviewFoot({
  prepared,
  sponsor,
}: {
  readonly prepared: PreparedAnswer
  readonly sponsor: Sponsor | undefined
}) {
  const { gasSummary, validUntil, warnings, unsignedTransactions = [] } = prepared
  const lack = etherLack(warnings, sponsor)
  const spender = spenderIn(unsignedTransactions)
  const until = validUntil === undefined ? undefined : new Date(validUntil * 1000)
  return (
    <>
      {lack === undefined ? null : <LackOfEther lack={lack} />}
      {warnings.map((warning) => {
        const words = warningWords(warning, sponsor)
        return words === undefined ? null : (
          <Note key={warning.message} kind="mind">
            <p>{words}</p>
          </Note>
        )
      })}
      {spender === undefined ? null : (
        <p>
          The permission is for this address: <Spender address={spender} />
        </p>
      )}
      <p class="quiet">
        {gasSummary === undefined
          ? 'The network takes a fee in ETH. '
          : `The network takes a fee of about ${shortEther(gasSummary.totalEstimatedCostEth)} ETH. `}
        {unsignedTransactions.length > 1
          ? `Your wallet asks you ${unsignedTransactions.length} times, or once for all of it. `
          : 'Your wallet asks you once. '}
        {until === undefined
          ? null
          : `Sign it before ${momentUtcWords(until)}; after that it has to be looked at again.`}
      </p>
    </>
  )
}

/** A warning in plain words; `undefined` where the review itself says it. */
function warningWords({ code, message }: Warning, sponsor: Sponsor | undefined): string | undefined {
  switch (code) {
    case 'ALLOWANCE_REMAINS':
    case 'REMIT_NEEDS_MORE_TRANSACTIONS':
    // Whoever carries a permission has read it on the page.
    case 'PERMIT_LOWERS_ALLOWANCE':
      return undefined
    case 'PERMIT_OUTSTANDING':
      return 'Whoever has the link that you signed before can still put that permission in the place of this one.'
    case 'INSUFFICIENT_GAS_FUNDS':
      return sponsor && onlyIfPaid(sponsor)
    case 'SIMULATION_PARTIAL':
      return 'What you would sign could be tried out only in part.'
    case 'DAY_ENDS_SOON':
      return 'The day ends soon (at midnight UTC). Sign before, or look at it again after.'
    default:
      return message
  }
}

/** Two digits that count: nobody reads more of an estimate. */
export function shortEther(amount: string): string {
  return /^\d+\.0*\d{0,2}/.exec(amount)?.[0] ?? amount
}
