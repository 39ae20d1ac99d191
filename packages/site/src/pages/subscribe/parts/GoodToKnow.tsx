import type { Subscription } from '@remit/client'
import { Card } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { pageData } from '../../../page/pageData.ts'

/** What surprises people otherwise. */
export function GoodToKnow({ plan }: { readonly plan: Subscription }) {
  return (
    <Card title="Good to know">
      <dl class="know">
        <div>
          <dt>What you need</dt>
          <dd>
            A wallet that holds <Money amount={plan.amount} token={plan.token} /> or more on{' '}
            {pageData.chain?.name}, and a little ETH there for the network’s fee. No account, no name, no
            mail.
          </dd>
        </div>
        <div>
          <dt>Leaving</dt>
          <dd>
            You can leave on any day, in one step, without asking anybody. Leaving costs nothing but the
            network’s small fee. What you have paid is not paid back. What is left of the reserve, the part of
            it that was set aside to pay for collecting, goes to the provider.
          </dd>
        </div>
        <div>
          <dt>If a payment cannot be taken</dt>
          <dd>
            When your wallet holds too little on a payment day, or your permission is used up, you are
            unsubscribed. You owe nothing, and it is not tried again.
          </dd>
        </div>
        <div>
          <dt>What the provider can change</dt>
          <dd>
            Not the price, not the days, and not the token. The provider can end the plan, or your part in it.
            Then nothing more is taken.
          </dd>
        </div>
      </dl>
    </Card>
  )
}
