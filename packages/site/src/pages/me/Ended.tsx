import { dayNumberAt } from '@remit/protocol/calendar'
import { Money } from '../../design/Money.tsx'
import { linkTo } from '../../page/api.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { isMine } from '../../subject/subject.ts'
import { ENDINGS } from '../../words/endings.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { dateWords } from '../../words/time.ts'
import { endingWords } from './endingWords.ts'
import { type Membership, membershipOf } from './memberships.ts'
import { PastPayments } from './PastPayments.tsx'

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
        {rows.map(({ subscription }) => (
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

/** Who ended it, why and when; of those behind the first ten, "Past payments" says so. */
function HowEnded({ subscription }: Pick<Membership, 'subscription'>) {
  const membership = membershipOf(subscription)
  if (membership === undefined) return subscription.cancelled ? <>{ENDINGS.cancelled}.</> : null
  const { state, since } = membership
  // An active member of a plan that was cancelled is one until it is cleaned up.
  return state === 'active' ? (
    <>{ENDINGS.cancelled}.</>
  ) : (
    <>
      {endingWords(state, isMine.value)}, {dateWords(dayNumberAt(since.timestamp))}.
    </>
  )
}
