import type { PrepareSubscribeByIdAnswer, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../../design/Button.tsx'
import { Facts, Note } from '../../../design/Card.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { etherLack } from '../../../signing/etherLack.ts'
import { shortEther } from '../../../signing/ReviewFoot.tsx'
import { Spender, spenderIn } from '../../../signing/Spender.tsx'
import { Sponsored } from '../../../signing/Sponsored.tsx'
import type { Sponsor } from '../../../signing/sponsor.ts'
import { momentWords } from '../../../words/time.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { takenSoon } from '../terms/charges.ts'
import { EndsSooner } from '../terms/EndsSooner.tsx'
import { worsened } from '../terms/worsened.ts'
import { MainAct } from './MainAct.tsx'
import { Parts } from './Reserve.tsx'
import { Warnings } from './Warnings.tsx'

interface ReviewProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly address: string
  readonly prepared: PrepareSubscribeByIdAnswer
  readonly sponsor: Sponsor | undefined
}

/** The panel before signing: the transactions, what they did in the simulation, and the button that has them signed. */
export function Review({ flow, plan, address, prepared, sponsor }: ReviewProps) {
  const title = useRef<HTMLHeadingElement>(null)
  // The pressed button is gone. The title gets the focus before the browser draws, so that no key is lost.
  useLayoutEffect(() => title.current?.focus(), [])
  const acts = flow.acts(prepared)
  const { simulation, gasSummary, validUntil, warnings, unsignedTransactions = [] } = prepared
  const changes = (simulation?.balanceChanges ?? []).filter(
    (change) => change.account.toLowerCase() === address.toLowerCase(),
  )
  // A change of what leaves the wallet is negative.
  const paid = changes.find((change) => change.token.address === plan.token.address)
  const { preflight } = prepared
  const firstCharge = preflight?.firstCharge
  const worse = preflight === undefined ? [] : worsened(preflight, flow.today.value ?? 0)
  const split = firstCharge && {
    toFeeBalance: firstCharge.toFeeBalance.amountRaw,
    toProvider: firstCharge.toProvider.amountRaw,
  }
  // What is due already: it is taken at the next collecting, so today too.
  const soon = takenSoon(plan, flow.today.value)
  const spender = spenderIn(unsignedTransactions)
  // A wallet without ether may have its fees paid in another way: so a second button lets it subscribe all the same.
  const lacksEther = etherLack(warnings, sponsor) !== undefined
  const send = () => void flow.send(prepared)
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
                {split === undefined ? null : (
                  <span class="timeline__note">
                    <Parts of="it" plan={plan} parts={split} />.
                  </span>
                )}
                <span class="timeline__note">
                  This was just tried out on the network, without sending it.
                </span>
              </>
            ),
          ],
          soon === 0n
            ? undefined
            : [
                'Due already',
                <span key="soon">
                  <Money amount={formatHuman(soon, plan.tokenDecimals)} token={plan.token} /> more, as soon as
                  it is collected, perhaps within minutes
                </span>,
              ],
          spender === undefined ? undefined : ['Allowed to', <Spender key="spender" address={spender} />],
          gasSummary === undefined
            ? undefined
            : [
                'Network’s fee',
                <span key="fee">
                  about {shortEther(gasSummary.totalEstimatedCostEth)} ETH
                  {sponsor === undefined ? ' beside that' : ''}
                </span>,
              ],
          validUntil === undefined
            ? undefined
            : [
                'Sign it before',
                <span key="until">
                  {momentWords(new Date(validUntil * 1000))} (midnight UTC); after that it has to be looked at
                  again
                </span>,
              ],
        ]}
      />
      {worse.length === 0 ? null : (
        <Note kind="mind">
          <EndsSooner rows={worse} answers={flow.others.value} />
          {flow.canKeep.value && !flow.keepsOthers.value ? (
            <p>Go back and allow more, and those that lack permission last as long as before.</p>
          ) : null}
        </Note>
      )}
      <Warnings warnings={warnings} plan={plan} today={flow.today.value} sponsor={sponsor} />
      <Sponsored sponsor={sponsor} />
      <MainAct>
        {lacksEther ? (
          <Button kind="primary" isWide onClick={() => void flow.review()}>
            Look again
          </Button>
        ) : (
          <Button kind="primary" isWide onClick={send}>
            <span>
              {paid === undefined ? (
                'Subscribe'
              ) : (
                <>
                  Subscribe and pay{' '}
                  <Money amount={formatHuman(soon - paid.amountRaw, plan.tokenDecimals)} token={plan.token} />
                  {soon === 0n ? null : ' today'}
                </>
              )}
            </span>
          </Button>
        )}
      </MainAct>
      {lacksEther ? (
        <Button kind="quiet" isWide onClick={send}>
          Subscribe anyway
        </Button>
      ) : null}
      <Button kind="quiet" isWide onClick={() => flow.startAgain()}>
        Back
      </Button>
    </div>
  )
}
