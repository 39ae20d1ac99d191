import type { Subscription } from '@remit/client'
import { Note } from '../design/Card.tsx'
import { DueDay } from '../design/values/When.tsx'
import { linkTo } from '../page/api.ts'
import { PlanName } from './PlanName.tsx'

interface UncollectedProps {
  /** The plans that are meant. Where there are several, the one that is late is named. */
  readonly of: readonly Subscription[]
}

/** Says that payment days are not collected, be it that members owe for them or not: until they are, a new member pays for them too. */
export function Uncollected({ of }: UncollectedProps) {
  const late = of.filter(({ overdueCount }) => overdueCount > 0)
  const [first] = late
    .flatMap(({ overdue }) => overdue.slice(0, 1))
    .sort((one, other) => one.dayNumber - other.dayNumber)
  if (first === undefined) return null
  const days = late.length === 1 ? (late[0]?.overdueCount ?? 0) : 0
  const day = <DueDay day={first} />
  const [plan] = late
  const ofPlan =
    plan === undefined || of.length === 1 ? null : (
      <>
        {' '}
        for <PlanName plan={plan} isLinked={false} />
      </>
    )
  const ofIt = of.length === 1 ? null : ' of that plan'
  return (
    <Note kind="mind">
      <p>
        {days === 1 ? (
          <>
            The payment day {day}
            {ofPlan} has not been collected yet. Until it is, a new member{ofIt} is charged for that day as
            well.
          </>
        ) : days > 1 ? (
          <>
            {days.toLocaleString('en')} payment days{ofPlan}, the first of them {day}, have not been collected
            yet. Until they are, a new member{ofIt} is charged for each of them as well.
          </>
        ) : (
          <>
            Payment days of {late.length.toLocaleString('en')} plans, the first of them {day}, have not been
            collected yet. Until they are, a new member of one of these plans is charged for its late days as
            well.
          </>
        )}{' '}
        Anybody can <a href={linkTo('/keeper')}>collect now</a>. That may take several transactions: the
        oldest days come first, for everybody.
      </p>
    </Note>
  )
}
