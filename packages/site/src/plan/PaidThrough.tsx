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
 * The last paid day. Who subscribes on a payment day has that day by the first part: others with the same payment day have
 * paid through the day before, until it is collected.
 */
export function PaidThrough({ last, due, children }: PaidThroughProps) {
  return (
    <>
      {children}
      {due?.dayNumber === last.dayNumber ? <span class="quiet">, the day of subscribing</span> : null}
    </>
  )
}
