import type { ComponentChildren } from 'preact'
import { Term } from '../design/Term.tsx'
import type { Day } from '../words/time.ts'

/** The words, with what they mean beside "Covered through". */
export const PAID_THROUGH = (
  <Term
    key="paid-through"
    means="The last day that is paid for already. “Covered” is about the payments after it: how long money and permission do for them, as they stand now."
  >
    Paid through
  </Term>
)

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
