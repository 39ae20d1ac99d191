import { describe, expect, it } from 'vitest'
import { dayNumberOf } from './calendar.ts'
import { dueSchedule, MOST_OVERDUE } from './dueSchedule.ts'

const day = (date: string) => dayNumberOf(date) ?? Number.NaN
const monthly = { frequency: 1, dueDay: 15, cancelled: false } as const

describe('when a subscription is due', () => {
  it.each([
    ['2025-03-10', '2025-03-10', '2025-03-15', []],
    ['2025-03-15', '2025-03-15', '2025-03-15', []],
    ['2025-03-16', '2025-03-15', '2025-04-15', []],
    ['2025-03-15', '2025-03-16', '2025-04-15', ['2025-03-15']],
    ['2025-01-15', '2025-03-15', '2025-03-15', ['2025-01-15', '2025-02-15']],
  ])('remit at %s, today %s: next on %s', (unchecked, today, next, overdue) => {
    const schedule = dueSchedule(monthly, { nextUncheckedDay: day(unchecked), today: day(today) })
    expect(schedule).toEqual({
      nextDue: day(next),
      overdue: overdue.map(day),
      overdueCount: overdue.length,
    })
  })

  it('names the oldest days of a long backlog, and counts all', () => {
    const [nextUncheckedDay, today] = [day('2020-01-01'), day('2025-01-01')]
    const { overdue, overdueCount } = dueSchedule(monthly, { nextUncheckedDay, today })
    expect(overdueCount).toBe(60)
    expect(overdue).toHaveLength(MOST_OVERDUE)
    expect(overdue[0]).toBe(day('2020-01-15'))
  })

  it('is never, once it is cancelled or past the calendar', () => {
    const never = { nextDue: null, overdue: [], overdueCount: 0 }
    const today = day('2025-01-01')
    expect(dueSchedule({ ...monthly, cancelled: true }, { nextUncheckedDay: 0, today })).toEqual(never)
    expect(dueSchedule(monthly, { nextUncheckedDay: Number.MAX_SAFE_INTEGER, today })).toEqual(never)
  })
})
