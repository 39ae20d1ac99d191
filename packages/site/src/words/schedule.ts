export interface Schedule {
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency: 0 | 1 | 2 | 3
  readonly dueDay: number
}

const PERIODS = ['week', 'month', 'quarter', 'year'] as const
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** "month". */
export function periodWord({ frequency }: Pick<Schedule, 'frequency'>): string {
  return PERIODS[frequency]
}

/** "every month on the 5th". */
export function scheduleWords({ frequency, dueDay }: Schedule): string {
  switch (frequency) {
    case 0:
      return `every week on ${WEEKDAYS[dueDay - 1] ?? `day ${dueDay}`}`
    case 1:
      return `every month on the ${ordinal(dueDay)}`
    case 2:
      return `every quarter on its ${ordinal(dueDay)} day`
    case 3:
      return `every year on its ${ordinal(dueDay)} day`
  }
}

/** "5th". */
export function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}
