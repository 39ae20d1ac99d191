import { dateOf } from '@remit/protocol/calendar'
import { dueSchedule } from '@remit/protocol/dueSchedule'
import { Note } from '../../../design/Card.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import type { Draft, Ground } from './preview.ts'

interface BehindProps {
  readonly draft: Pick<Draft, 'frequency' | 'dueDay'>
  readonly ground: Pick<Ground, 'nextUncheckedDay'>
  /** The day of the chain's clock. */
  readonly today: number
}

/** Warns that collecting is so late that the first members of a new plan would pay for days before it was published. */
export function Behind({ draft, ground: { nextUncheckedDay }, today }: BehindProps) {
  const { overdue, overdueCount } = dueSchedule({ ...draft, cancelled: false }, { nextUncheckedDay, today })
  const [first] = overdue
  if (first === undefined) return null
  return (
    <Note kind="mind">
      <p>
        Collecting is behind. Until it has caught up, whoever subscribes pays{' '}
        {overdueCount === 1 ? 'one whole payment' : `${overdueCount} whole payments`} more, for{' '}
        {overdueCount === 1 ? '' : 'days since '}
        <DueDay day={{ dayNumber: first, date: dateOf(first) }} />. Before you send the link,{' '}
        <a href={linkTo('/keeper')} target="_blank" rel="noopener">
          collect what is late
          <span class="unseen"> (opens in a new tab)</span>
        </a>
        .
      </p>
    </Note>
  )
}
