import type { PrepareSubscribeByIdAnswer, Subscription } from '@remit/client'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../../design/Button.tsx'
import { Facts } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { momentWords } from '../../../words/time.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { Warnings } from './Warnings.tsx'

interface ReviewProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly address: string
  readonly prepared: PrepareSubscribeByIdAnswer
}

/** What is to be signed, and what it did in the simulation. */
export function Review({ flow, plan, address, prepared }: ReviewProps) {
  const title = useRef<HTMLHeadingElement>(null)
  // With the words that take the place of a button that is gone, so that no key is lost between the two.
  useLayoutEffect(() => title.current?.focus(), [])
  const acts = flow.acts(prepared)
  const { simulation, gasSummary, validUntil, warnings } = prepared
  const changes = (simulation?.balanceChanges ?? []).filter(
    (change) => change.account.toLowerCase() === address.toLowerCase(),
  )
  const [paid] = changes
  return (
    <div class="stack">
      <h3 ref={title} tabIndex={-1}>
        What you would sign
      </h3>
      <ol class="acts">
        {acts.map((act) => (
          <li key={act}>{act}</li>
        ))}
      </ol>
      <p class="quiet">
        {acts.length === 1
          ? 'Your wallet asks you once.'
          : 'Your wallet asks you for each, or for all of it at once.'}
      </p>
      <Facts
        rows={[
          [
            'Leaves your wallet now',
            changes.length === 0 ? (
              'It could not be tried out.'
            ) : (
              <>
                {changes.map((change) => (
                  <div key={change.token.address}>
                    <Money amount={change.amount.replace(/^-/, '')} token={change.token} />
                  </div>
                ))}
                <span class="timeline__note">
                  as it was just tried out on the network, without sending it
                </span>
              </>
            ),
          ],
          gasSummary === undefined
            ? undefined
            : [
                'Network’s fee',
                <span key="fee">about {shortEther(gasSummary.totalEstimatedCostEth)} ETH beside that</span>,
              ],
          validUntil === undefined
            ? undefined
            : [
                'This holds until',
                <span key="until">{momentWords(new Date(validUntil * 1000))} (midnight UTC)</span>,
              ],
        ]}
      />
      <Warnings warnings={warnings} plan={plan} />
      <Button kind="primary" isWide onClick={() => void flow.send(prepared)}>
        <span>
          {paid === undefined ? (
            'Subscribe'
          ) : (
            <>
              Subscribe and pay <Money amount={paid.amount.replace(/^-/, '')} token={plan.token} />
            </>
          )}
        </span>
      </Button>
      <Button kind="quiet" isWide onClick={() => flow.startAgain()}>
        Back
      </Button>
    </div>
  )
}

/** Two digits that count: nobody reads more of an estimate. */
function shortEther(amount: string): string {
  return /^\d+\.0*\d{0,2}/.exec(amount)?.[0] ?? amount
}
