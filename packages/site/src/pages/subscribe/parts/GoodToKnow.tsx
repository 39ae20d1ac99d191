import type { GetProtocolStateAnswer, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { PaymentSplit } from '@remit/protocol/fees'
import { Card } from '../../../design/Card.tsx'
import { Term } from '../../../design/Term.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { pageData } from '../../../page/pageData.ts'
import { ownFeeWords, RESERVE_MEANS } from '../../../words/money.ts'
import { Reserve } from './Reserve.tsx'

interface GoodToKnowProps {
  readonly plan: Subscription
  /** What the wallet must hold to subscribe, in the token's smallest unit; `undefined` for a member. */
  readonly needed: bigint | undefined
  /** Whether less than that is taken today. */
  readonly isMoreThanTaken: boolean
  /** Where what is taken at once goes, in the token's smallest unit; `undefined` where nothing is, or it is not known. */
  readonly parts: PaymentSplit | undefined
  /** The contract's fees; `undefined` where they are not known. */
  readonly fees: Pick<GetProtocolStateAnswer, 'callerFee' | 'systemFeePercent'> | undefined
}

/** The card with what would surprise people later: needs, leaving, failed payments, and what the provider can change. */
export function GoodToKnow({ plan, needed, isMoreThanTaken, parts, fees }: GoodToKnowProps) {
  return (
    <Card title="Good to know">
      <dl class="know">
        <div>
          <dt>Leaving</dt>
          <dd>
            You can leave on any day, in one step, without asking anybody. Leaving costs nothing but the
            network’s small fee in ETH. A wallet that has no ETH can sign a note instead, by which all its
            subscriptions in this token end; somebody else brings the note to the network. What you have paid
            is not paid back, and what is left of your <Term means={RESERVE_MEANS}>collecting reserve</Term>{' '}
            goes to the provider.
          </dd>
        </div>
        <div>
          <dt>If a payment cannot be taken</dt>
          <dd>
            When your wallet holds too little on a payment day, or your permission is used up, you are
            unsubscribed. You owe nothing, and it is not tried again. Your collecting reserve is not paid
            back.
          </dd>
        </div>
        <div>
          <dt>What the provider can change</dt>
          <dd>
            Not the price, not the days, and not the token. The provider can end the plan, or your part in it.
            Then nothing more is taken, and your collecting reserve goes back to you. Where the whole plan
            ends, the reserve comes back some time later, {ownFeeWords(fees?.systemFeePercent)}.
          </dd>
        </div>
        {/* These last, because they go away once somebody is a member: so nothing below them moves. */}
        {needed === undefined ? null : (
          <div>
            <dt>What you need</dt>
            <dd>
              A wallet that holds{' '}
              <Money amount={formatHuman(needed, plan.tokenDecimals)} token={plan.token} /> or more on{' '}
              {pageData.chain?.name}, and a little ETH there for the network’s fee.{' '}
              {isMoreThanTaken
                ? 'The contract takes only today’s part, but it asks that a whole payment be there. '
                : null}
              No account, no name, no mail.
            </dd>
          </div>
        )}
        {parts === undefined || fees === undefined ? null : (
          <Reserve plan={plan} parts={parts} callerFee={fees.callerFee} />
        )}
      </dl>
    </Card>
  )
}
