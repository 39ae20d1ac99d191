import type { ApprovedToken, CreateSubscriptionRequest } from '@remit/client'
import type { DeedWords } from '../../../deed/Deed.ts'
import { Facts, Note } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { Said } from '../../../design/Said.tsx'
import { DueDay } from '../../../design/When.tsx'
import { scheduleWords } from '../../../words/schedule.ts'
import { Share } from '../Share.tsx'

/** Publishing a plan. Its id is made by the contract, so its link is known in the end only. */
export function createDeed(
  request: CreateSubscriptionRequest,
  token: ApprovedToken,
): DeedWords<'createSubscription'> {
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
            [
              'What they get',
              details.description === '' ? 'nothing said' : <Said key="d" text={details.description} />,
            ],
            details.url === '' ? undefined : ['Link', <Said key="u" text={details.url} />],
            preflight?.nextDue ? ['First due', <DueDay key="due" day={preflight.nextDue} />] : undefined,
          ]}
        />
        <p>
          The price, the day and the token can never be changed: subscribers rely on that. The words can, and
          you can end the plan at any time.
        </p>
      </>
    ),
    receipt: ({ subscriptionId }) => (
      <>
        <Note kind="good">
          <p>
            <strong>Your plan is published.</strong> Send its link to whoever shall subscribe.
          </p>
        </Note>
        <Share id={subscriptionId} />
      </>
    ),
  }
}
