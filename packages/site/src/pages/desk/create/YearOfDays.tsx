import { civilDate, dateOf, dayNumberOf, daysInMonth } from '@remit/protocol/calendar'
import { dayWords } from '../../../words/time.ts'

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
/** 0 is Monday. Day number 0, 1 January 1970, was a Thursday. */
const weekdayOf = (dayNumber: number) => (dayNumber + 3) % 7

interface YearOfDaysProps {
  readonly today: number
  readonly days: readonly number[]
}

/** Twelve small calendars from the present month on, with the due days marked. */
export function YearOfDays({ today, days }: YearOfDaysProps) {
  const due = new Set(days)
  const list = days.map((dayNumber) => dayWords({ dayNumber, date: dateOf(dayNumber) }))
  return (
    <div
      class="year"
      role="img"
      aria-label={`${days.length} due days in the next twelve months: ${list.slice(0, 12).join('; ')}${list.length > 12 ? '; and so on' : ''}`}
    >
      {monthsFrom(today).map(({ first, length }) => (
        <div key={first} class="year__month">
          <span class="year__name">{MONTH.format(first * 86_400_000)}</span>
          <div class="year__days">
            {Array.from({ length: weekdayOf(first) }, (_, index) => (
              <i key={`before${index}`} class="year__none" />
            ))}
            {Array.from({ length }, (_, index) => first + index).map((day) => (
              <i key={day} class={dayClass(day, today, due)} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

function dayClass(day: number, today: number, due: ReadonlySet<number>): string {
  if (due.has(day)) return 'year__day year__day--due'
  if (day === today) return 'year__day year__day--today'
  return day < today ? 'year__day year__day--past' : 'year__day'
}

/** Each month's first day and its length, from the present one on. */
function monthsFrom(today: number): { readonly first: number; readonly length: number }[] {
  const { year, month } = civilDate(today)
  return Array.from({ length: 12 }, (_, index) => {
    const months = year * 12 + month - 1 + index
    const at = { year: Math.floor(months / 12), month: (months % 12) + 1 }
    const first = dayNumberOf(`${at.year}-${String(at.month).padStart(2, '0')}-01`) ?? 0
    return { first, length: daysInMonth(at.year, at.month) }
  })
}
