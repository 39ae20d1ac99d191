import type { ComponentChildren } from 'preact'
import type { Day } from '../words/time.ts'

interface PaidThroughProps {
  readonly last: Day
  /** The due day of the next payment that nobody has collected yet. */
  readonly due: Pick<Day, 'dayNumber'> | null | undefined
  /** The day, as the page writes days. */
  readonly children: ComponentChildren
}

/**
 * The last day that a member has paid for. It says so where that is a payment day which is not collected yet: whoever
 * subscribed on it has paid for it, and the others only through the day before.
 */
export function PaidThrough({ last, due, children }: PaidThroughProps) {
  return (
    <>
      {children}
      {due?.dayNumber === last.dayNumber ? (
        <span class="quiet">; the payment of that day is not collected yet</span>
      ) : null}
    </>
  )
}
