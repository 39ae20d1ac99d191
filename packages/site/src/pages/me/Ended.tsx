import { dayNumberAt } from '@remit/protocol/calendar'
import { Money } from '../../design/values/Money.tsx'
import { linkTo } from '../../page/api.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { isMine } from '../../subject/subject.ts'
import { dropReasonWords } from '../../words/dropReasons.ts'
import { ENDINGS, endingWords } from '../../words/endings.ts'
import { ownFeeWords } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { dateWords } from '../../words/time.ts'
import { type Membership, membershipOf } from './memberships.ts'
import { PastPayments } from './payments/Payments.tsx'

interface EndedProps {
  readonly rows: readonly Membership[]
  /** Whether it is shown unasked. */
  readonly isOpen: boolean
}

/** What does not run any more: who ended it and why, and the way back. */
export function Ended({ rows, isOpen }: EndedProps) {
  return (
    <details class="card" open={isOpen}>
      <summary>
        {rows.length === 1 ? 'One subscription has ended' : `${rows.length} subscriptions have ended`}
      </summary>
      <ul class="me__ended">
        {[...rows].sort(newestFirst).map(({ subscription, status, feeBalance }) => (
          <li key={subscription.id} class="stack-small">
            <p>
              <strong>
                <PlanName plan={subscription} />
              </strong>
            </p>
            <p class="quiet">
              <Money amount={subscription.amount} token={subscription.token} /> {scheduleWords(subscription)}.{' '}
              <HowEnded subscription={subscription} />
            </p>
            {/* Until it is paid back the contract has the member as active. */}
            {subscription.cancelled && status === 0 && feeBalance.amountRaw > 0n ? (
              <p>
                <Money amount={feeBalance.amount} token={subscription.token} /> of{' '}
                {isMine.value ? 'your' : 'its'} collecting reserve is kept and comes back on no fixed day,{' '}
                {ownFeeWords()}. There is nothing to do: whoever leaves a cancelled plan, as other apps may
                offer, gives it to the provider.
              </p>
            ) : null}
            {isMine.value && !subscription.cancelled ? (
              <p>
                <a href={linkTo(`/subscribe/${subscription.id}`)}>Subscribe again</a>
              </p>
            ) : null}
            <PastPayments plan={subscription} />
          </li>
        ))}
      </ul>
    </details>
  )
}

/** For `sort`: by the moment of the end. Those of which it is not known stand last. */
function newestFirst(one: Membership, other: Membership): number {
  const endOf = ({ subscription }: Membership) => membershipOf(subscription)?.since.timestamp ?? 0
  return endOf(other) - endOf(one)
}

/** Who ended it, why and when. The page came with that of the first ten; of the others "Past payments" tells it. */
function HowEnded({ subscription }: Pick<Membership, 'subscription'>) {
  const membership = membershipOf(subscription)
  if (membership === undefined) return subscription.cancelled ? <>{ENDINGS.cancelled}.</> : null
  const { state, since, dropReason } = membership
  // In a cancelled plan a member stays "active" until the reserve is paid back.
  return state === 'active' ? (
    <>{ENDINGS.cancelled}.</>
  ) : (
    <>
      {endingWords(state, isMine.value)}, {dateWords(dayNumberAt(since.timestamp))}.{' '}
      {dropReasonWords(dropReason)}
    </>
  )
}
