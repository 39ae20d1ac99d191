import type { EditDetailsRequest, EditProviderDetailsRequest, Member, Subscription } from '@remit/client'
import type { Hex } from 'viem'
import { Facts, Note } from '../../design/Card.tsx'
import { Address } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { UntrustedText } from '../../design/values/Untrusted.tsx'
import { linkTo } from '../../page/api.ts'
import { chainNow } from '../../page/live.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { PlanTitle } from '../../plan/PlanTitle.tsx'
import { describedAs } from '../../plan/planTexts.ts'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { type Day, dayWords } from '../../words/time.ts'
import { Held } from './plans/Held.tsx'

// What a provider can sign about its plans, members and profile, with the words for review and receipt (`askToSign`).

/** What a cancelled plan with members holds up: the contract takes it off its lists when it comes by. */
const COLLECTED_ONCE_MORE =
  'For the plan’s next payment day somebody still has to collect once, which pays nobody: until that is done, what is due after that day cannot be collected.'

/** Cancelling a plan for everybody, for good. */
export function cancelRequest(plan: Subscription, subscribers: number): SigningRequest<'cancelSubscription'> {
  const { id, amount, token } = plan
  return {
    title: 'Cancel this plan',
    verb: 'Cancel it for good',
    act: 'Cancel the plan',
    isGrave: true,
    done: 'The plan is cancelled.',
    asked: { flow: 'cancelSubscription', request: { id } },
    review: ({ preflight }) => (
      <>
        <p>
          <PlanName plan={plan} isLinked={false} />: <Money amount={amount} token={token} />{' '}
          {scheduleWords(plan)}.{' '}
          {subscribers === 0
            ? 'Nobody subscribes to it now.'
            : `${subscribers === 1 ? 'One member pays' : `${subscribers} members pay`} for it now.`}
        </p>
        <Note kind="bad">
          <p>
            Nobody pays for it any more, and nobody can subscribe again. It cannot be taken back; you can only
            publish a new plan.
          </p>
        </Note>
        <LostPayments plan={preflight?.subscription ?? plan} payers={subscribers} />
        {subscribers === 0 ? null : (
          <>
            <Held plan={plan} />
            <p class="quiet">{COLLECTED_ONCE_MORE}</p>
          </>
        )}
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>
          Nobody pays for it any more.
          {subscribers === 0
            ? null
            : ` Under “Cancelled” you see whose reserves are not paid back yet. ${COLLECTED_ONCE_MORE}`}
        </p>
      </Note>
    ),
  }
}

/** Removing one subscriber, who gets back what is left of the reserve. */
export function removeRequest({
  subscription: plan,
  description,
  subscriber,
  paidThrough,
}: Pick<
  Member,
  'subscription' | 'description' | 'subscriber' | 'paidThrough'
>): SigningRequest<'removeSubscriber'> {
  const { id, token } = plan
  return {
    title: 'Remove this member',
    verb: 'Remove',
    act: 'Remove the member',
    isGrave: true,
    done: 'The member is removed.',
    asked: { flow: 'removeSubscriber', request: { id, subscriber } },
    review: ({ preflight }) => (
      <>
        <p>This wallet pays nothing for it any more. It can subscribe again if it wishes.</p>
        <LostPayments plan={preflight?.subscription ?? plan} payers={1} />
        <Facts
          rows={[
            ['Member', <Address key="who" address={subscriber} />],
            ['Plan', <PlanTitle key="plan" subscription={plan} texts={describedAs(description)} />],
            paidThrough === null
              ? undefined
              : [
                  'Paid through',
                  <>
                    {dayWords(paidThrough)}{' '}
                    {isOver(paidThrough) ? null : (
                      <span class="quiet">
                        The subscription ends at once all the same. What was paid stays with you: if you owe
                        something for these days, send it yourself.
                      </span>
                    )}
                  </>,
                ],
            preflight === undefined
              ? undefined
              : [
                  'Gets back',
                  <>
                    <Money amount={preflight.feeBalance.amount} token={token} />{' '}
                    <span class="quiet">
                      that was left in the reserve. It does not come from your wallet.
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
          <Money amount={refunded.amount} token={token} /> went back to the member.
        </p>
      </Note>
    ),
  }
}

function isOver({ dayNumber }: Day): boolean {
  return dayNumber < (chainNow.value?.today ?? dayNumber)
}

interface LostPaymentsProps {
  readonly plan: Subscription
  /** How many subscribers will no longer be charged. */
  readonly payers: number
}

/** Warns of payments that are due and not collected: a subscriber who is gone by the collecting never pays them. */
function LostPayments({ plan: { amount, token, nextDue, overdueCount }, payers }: LostPaymentsProps) {
  const isDueToday = nextDue !== null && nextDue.dayNumber === chainNow.value?.today
  const payments = (overdueCount + (isDueToday ? 1 : 0)) * payers
  if (payments === 0) return null
  const price = <Money amount={amount} token={token} />
  const collect = (
    <>
      <a href={linkTo('/keeper')}>collect first</a>, which may take several transactions: the oldest days come
      first, for everybody
    </>
  )
  return (
    <Note kind="mind">
      {payments === 1 ? (
        <p>
          A payment of {price} is due and not collected yet. After this it can no longer be collected. To have
          it, {collect}.
        </p>
      ) : (
        <p>
          Up to {payments.toLocaleString('en')} payments of {price} are due and not collected yet; those that
          fail bring nothing. After this none can be collected any more. To have them, {collect}.
        </p>
      )}
    </Note>
  )
}

/** Replacing a plan's description and link. */
export function editRequest(id: Hex, details: EditDetailsRequest['details']): SigningRequest<'editDetails'> {
  return {
    title: 'Edit description',
    verb: 'Publish',
    act: 'Publish the new description',
    done: 'The description is published.',
    asked: { flow: 'editDetails', request: { id, details } },
    review: () => (
      <>
        <p>From then on everybody reads this. What stood there before stays in the chain’s history.</p>
        <Facts
          rows={[
            [
              'What they get',
              details.description === '' ? 'nothing' : <UntrustedText key="d" text={details.description} />,
            ],
            ['Link', details.url === '' ? 'none' : <UntrustedText key="u" text={details.url} />],
          ]}
        />
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>Everybody who looks at the plan reads it now.</p>
      </Note>
    ),
  }
}

/** Replacing a provider's profile. */
export function profileRequest(profile: EditProviderDetailsRequest): SigningRequest<'editProviderDetails'> {
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
    done: 'The new profile is published.',
    asked: { flow: 'editProviderDetails', request: profile },
    review: () => (
      <>
        <p>It replaces the whole profile. Everybody can read it.</p>
        <Facts
          rows={rows.map(([name, text]) => [
            name,
            text === '' ? '–' : <UntrustedText key={name} text={text} />,
          ])}
        />
      </>
    ),
    receipt: () => (
      <Note kind="good">
        <p>Your plans show it now.</p>
      </Note>
    ),
  }
}
