import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import { Term } from '../../../design/Term.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { movingDatesWords } from '../../../words/movingDates.ts'
import { scheduleWords } from '../../../words/schedule.ts'
import { comingCharges } from '../terms/charges.ts'

const SHOWN = 3

interface TimelineProps {
  readonly plan: Subscription
  /** What is taken at once, in the token's smallest unit; `undefined` where it is not known. */
  readonly now: bigint | undefined
  /** The day of the chain's clock. */
  readonly today: number | undefined
  /** Whether the wallet is subscribed already: then the first part is no longer to come. */
  readonly isMember: boolean
}

/** What is taken when: today, the next three times, and how it goes on. */
export function Timeline({ plan, now, today, isMember }: TimelineProps) {
  const charges = comingCharges(plan, SHOWN, today)
  const moving = movingDatesWords(plan)
  return (
    <>
      <ol class="timeline">
        <li class="timeline__row timeline__row--now">
          <span class="timeline__when">
            <strong>{isMember ? 'You are subscribed' : 'Today'}</strong>
            <span class="timeline__note">{isMember ? 'what comes next:' : 'when you subscribe'}</span>
          </span>
          <Today plan={plan} now={now} isMember={isMember} />
        </li>
        {charges.map(({ dayNumber, isSoon }) => (
          <li key={dayNumber} class="timeline__row">
            <span class="timeline__when">
              {isSoon ? (
                <>
                  <strong>As soon as it is collected</strong>
                  <span class="timeline__note">
                    for <DueDay day={{ dayNumber, date: dateOf(dayNumber) }} today={today} />, perhaps within
                    minutes
                  </span>
                </>
              ) : (
                <DueDay day={{ dayNumber, date: dateOf(dayNumber) }} today={today} />
              )}
            </span>
            <Money amount={plan.amount} token={plan.token} />
          </li>
        ))}
        <li class="timeline__row timeline__row--on">
          <span class="timeline__when">And so on, {scheduleWords(plan)}, until you leave</span>
          <Money amount={plan.amount} token={plan.token} />
        </li>
      </ol>
      <p class="quiet">
        {moving === undefined ? null : `${moving} `}
        The first part is for the time until the first whole payment, and never less than the collector’s fee.{' '}
        <Term means="A payment day is a day in UTC, the world’s common clock. Where you are, it can begin or end some hours earlier or later. A payment is taken on that day or soon after, when somebody collects it.">
          Which days are these?
        </Term>
      </p>
    </>
  )
}

function Today({ plan, now, isMember }: Omit<TimelineProps, 'today'>) {
  if (isMember) return null
  if (now === undefined) return <span class="quiet">told before you sign</span>
  return <Money amount={formatHuman(now, plan.tokenDecimals)} token={plan.token} />
}
