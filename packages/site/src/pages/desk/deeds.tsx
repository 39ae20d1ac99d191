import type { EditDetailsRequest, EditProviderDetailsRequest, Subscription } from '@remit/client'
import type { Hex, Address as Hex20 } from 'viem'
import type { DeedWords } from '../../deed/Deed.ts'
import { Address } from '../../design/Address.tsx'
import { Facts, Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { scheduleWords } from '../../words/schedule.ts'

/** Ending a plan for everybody, for good. */
export function cancelDeed(plan: Subscription, subscribers: number): DeedWords<'cancelSubscription'> {
  const { id, amount, token } = plan
  return {
    title: 'End this plan',
    verb: 'End it for good',
    act: 'End the plan',
    isGrave: true,
    done: 'The plan has ended.',
    asked: { flow: 'cancelSubscription', request: { id } },
    review: () => (
      <>
        <p>
          <Money amount={amount} token={token} /> {scheduleWords(plan)}.{' '}
          {subscribers === 0
            ? 'Nobody subscribes to it now.'
            : `${subscribers === 1 ? 'One subscriber pays' : `${subscribers} subscribers pay`} for it now.`}
        </p>
        <Note kind="bad">
          <p>
            Nobody is charged for it any more, and nobody can subscribe again. It cannot be taken back; you
            can only publish a new plan.
          </p>
        </Note>
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The plan has ended.</strong> Nobody is charged for it any more.
        </p>
      </Note>
    ),
  }
}

/** Removing one subscriber, who gets back what was put aside. */
export function removeDeed({ id, token }: Subscription, subscriber: Hex20): DeedWords<'removeSubscriber'> {
  return {
    title: 'Remove this subscriber',
    verb: 'Remove',
    act: 'Remove the subscriber',
    isGrave: true,
    done: 'The subscriber is removed.',
    asked: { flow: 'removeSubscriber', request: { id, subscriber } },
    review: ({ preflight }) => (
      <>
        <p>This wallet is not charged any more. It can subscribe again if it wishes.</p>
        <Facts
          rows={[
            ['Subscriber', <Address key="who" address={subscriber} />],
            preflight === undefined
              ? undefined
              : [
                  'Gets back',
                  <>
                    <Money amount={preflight.feeBalance.amount} token={token} />{' '}
                    <span class="quiet">
                      that was put aside for those who collect. It does not come from your wallet.
                    </span>
                  </>,
                ],
          ]}
        />
      </>
    ),
    receipt: ({ refunded }) => (
      <Note kind="good">
        <p>
          <strong>Removed.</strong> <Money amount={refunded.amount} token={token} /> went back to the
          subscriber.
        </p>
      </Note>
    ),
  }
}

/** Replacing what a plan says of itself. */
export function editDeed(id: Hex, details: EditDetailsRequest['details']): DeedWords<'editDetails'> {
  return {
    title: 'Change the words of this plan',
    verb: 'Publish',
    act: 'Publish the new words',
    done: 'The plan has its new words.',
    asked: { flow: 'editDetails', request: { id, details } },
    review: () => (
      <>
        <p>From then on everybody reads this. What stood there before stays in the chain’s history.</p>
        <Facts
          rows={[
            [
              'What they get',
              details.description === '' ? 'nothing' : <Said key="d" text={details.description} />,
            ],
            ['Link', details.url === '' ? 'none' : <Said key="u" text={details.url} />],
          ]}
        />
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>Published.</strong> The plan has its new words.
        </p>
      </Note>
    ),
  }
}

/** Replacing what a provider says of itself. */
export function profileDeed(profile: EditProviderDetailsRequest): DeedWords<'editProviderDetails'> {
  const rows = [
    ['Name', profile.company],
    ['About you', profile.description],
    ['Website', profile.url],
    ['Domain', profile.domain],
    ['E-mail', profile.email],
    ['Anything else', profile.misc],
  ] as const
  return {
    title: 'Change your profile',
    verb: 'Publish',
    act: 'Publish the new profile',
    done: 'Your plans show the new profile.',
    asked: { flow: 'editProviderDetails', request: profile },
    review: () => (
      <>
        <p>It replaces the whole profile. Everybody can read it.</p>
        <Facts
          rows={rows.map(([name, text]) => [name, text === '' ? '–' : <Said key={name} text={text} />])}
        />
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>Published.</strong> Your plans show the new profile.
        </p>
      </Note>
    ),
  }
}
