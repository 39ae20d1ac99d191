import { Button } from '../design/Button.tsx'
import { linkTo } from '../page/api.ts'
import { type Month, writtenMonth } from '../page/month.ts'
import { monthWords } from '../words/time.ts'
import { subject } from './subject.ts'

/**
 * The name of a month as a link, which leads to the page’s rows of that month.
 * @param path of the page
 * @param dayNumber any day of the month
 */
export function MonthLink({ path, dayNumber }: { readonly path: string; readonly dayNumber: number }) {
  const month = writtenMonth(dayNumber)
  return <a href={linkTo(path, { address: subject.value, month })}>{monthWords({ dayNumber })}</a>
}

/** Links from the month that a page shows to the one before, the one after, and all; and a button that prints it. */
export function OtherMonths({ path, month }: { readonly path: string; readonly month: Month }) {
  return (
    <nav class="subject__months row" aria-label="Months">
      <MonthLink path={path} dayNumber={month.fromDay - 1} />
      <MonthLink path={path} dayNumber={month.toDay} />
      <a href={linkTo(path, { address: subject.value })}>All months</a>
      <Button isSmall onClick={() => print()}>
        Print
      </Button>
    </nav>
  )
}
