import type { ApprovedToken, CreateSubscriptionRequest } from '@remit/client'
import { Facts, Note } from '../../../design/Card.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import type { SigningRequest } from '../../../signing/startSigning.ts'
import { scheduleWords } from '../../../words/schedule.ts'
import { Share } from '../plans/Share.tsx'
import { Behind } from './Behind.tsx'
import { PaymentRules } from './Preview.tsx'
import type { Ground } from './preview.ts'

/** Publishing a plan. The contract makes its id, so its link is known only once it is mined. */
export function createPlanRequest(
  request: CreateSubscriptionRequest,
  token: ApprovedToken,
  { ground, today }: { readonly ground: Pick<Ground, 'nextUncheckedDay'>; readonly today: number },
): SigningRequest<'createSubscription'> {
  const { amount, frequency, dueDay, details } = request
  return {
    title: 'Publish this plan',
    verb: 'Publish',
    act: 'Publish the plan',
    done: 'Your plan is published.',
    asked: { flow: 'createSubscription', request },
    review: ({ preflight }) => (
      <>
        <p>
          <Money amount={amount} token={token} isLarge /> {scheduleWords({ frequency, dueDay })}
        </p>
        <Facts
          rows={[
            ['What they get', <UntrustedText key="d" text={details.description} />],
            details.url === '' ? undefined : ['Link', <UntrustedText key="u" text={details.url} />],
            preflight?.nextDue ? ['First due', <DueDay key="due" day={preflight.nextDue} />] : undefined,
          ]}
        />
        {/^\d{7}/.test(amount) ? (
          <Note kind="mind">
            <p>A million or more is a high price. Look at it again.</p>
          </Note>
        ) : null}
        <p>
          The price, how often, the day and the token can never be changed: members rely on that. The words
          can, and you can cancel the plan at any time.
        </p>
        <Note>
          <p>
            All of it is public, for good: the price, each member’s wallet, what you earn, and who has left.
          </p>
        </Note>
        <PaymentRules />
      </>
    ),
    receipt: ({ subscriptionId }) => (
      <>
        <Note kind="good">
          <p>Send its link to your customers.</p>
        </Note>
        <Behind draft={{ frequency, dueDay }} ground={ground} today={today} />
        <Share id={subscriptionId} />
      </>
    ),
  }
}
