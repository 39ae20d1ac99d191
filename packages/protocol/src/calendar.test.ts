import { DayNumber } from '@remit/engine/schema/numbers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countDueDays,
  dateOf,
  dayNumberAt,
  dayNumberOf,
  daysInMonth,
  daysOfMonth,
  dueDayOn,
  dueDays,
  LAST_DAY,
  nextDueDay,
  nthDueDay,
  SECONDS_PER_DAY,
} from './calendar.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from './subscription.ts'

const anyDay = fc.integer({ min: 0, max: LAST_DAY })
const anySchedule = fc
  .constantFrom(...FREQUENCIES)
  .chain((frequency) =>
    fc.record({ frequency: fc.constant(frequency), dueDay: fc.integer(dueDayRange(frequency)) }),
  )

/** The platform's own calendar, as a witness. */
function witness(dayNumber: number): Readonly<Record<Frequency, number>> {
  const date = new Date(dayNumber * SECONDS_PER_DAY * 1000)
  const since = (month: number) => dayNumber - Date.UTC(date.getUTCFullYear(), month) / 86_400_000 + 1
  return {
    0: ((date.getUTCDay() + 6) % 7) + 1,
    1: date.getUTCDate(),
    2: since(Math.floor(date.getUTCMonth() / 3) * 3),
    3: since(0),
  }
}

const day = (date: string): number => dayNumberOf(date) ?? Number.NaN

describe('the days of a written month', () => {
  it('are as many as the platform says, from its first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_DAY - 31 }), (dayNumber) => {
        const date = new Date(dayNumber * SECONDS_PER_DAY * 1000)
        const first = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
        expect(daysOfMonth(dateOf(dayNumber).slice(0, 7))).toEqual({
          fromDay: first(0) / 86_400_000,
          toDay: first(1) / 86_400_000,
        })
      }),
    )
  })

  it('are none past the calendar’s end and for what is no month', () => {
    expect(['2026-13', '2026-1', '2026', dateOf(LAST_DAY).slice(0, 7)].map(daysOfMonth)).toEqual(
      Array(4).fill(undefined),
    )
  })
})

describe('dates', () => {
  it('agree with the platform’s calendar on every day there is', () => {
    fc.assert(
      fc.property(anyDay, (dayNumber) => {
        const date = dateOf(dayNumber)
        expect(date).toBe(new Date(dayNumber * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10))
        expect(dayNumberOf(date)).toBe(dayNumber)
      }),
    )
  })

  it('begin in 1970, end with 9999 and refuse days outside', () => {
    expect([dateOf(0), dateOf(LAST_DAY)]).toEqual(['1970-01-01', '9999-12-31'])
    for (const dayNumber of [-1, LAST_DAY + 1, 1.5, Number.NaN]) {
      expect(() => dateOf(dayNumber)).toThrow(
        new RangeError(`Day ${dayNumber} has no date between 1970-01-01 and 9999-12-31`),
      )
    }
  })

  it('end on the last day that the wire takes', () => {
    expect([LAST_DAY, LAST_DAY + 1].map((number) => DayNumber.safeParse(number).success)).toEqual([
      true,
      false,
    ])
  })

  it.each([
    '2025-02-29',
    '2100-02-29',
    '2025-13-01',
    '2025-00-10',
    '2025-04-31',
    '2025-04-00',
    '2025-4-1',
    '12025-04-01',
    '2025-04-011',
    '1969-12-31',
    '',
  ])('has no day called %j', (date) => {
    expect(dayNumberOf(date)).toBeUndefined()
  })

  it('change at midnight UTC', () => {
    expect([86_399, 86_400].map(dayNumberAt)).toEqual([0, 1])
  })

  it('know the leap years', () => {
    expect([2023, 2024, 2100, 2000].map((year) => daysInMonth(year, 2))).toEqual([28, 29, 28, 29])
  })

  it('know how long each month is', () => {
    const lengths = Array.from({ length: 12 }, (_, index) => daysInMonth(2025, index + 1))
    expect(lengths).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
  })
})

describe('due days', () => {
  it('count weekdays, days of month, quarter and year as the contract does', () => {
    fc.assert(
      fc.property(anyDay, (dayNumber) => {
        const expected = witness(dayNumber)
        for (const frequency of FREQUENCIES) {
          expect(dueDayOn(dayNumber, frequency).dueDay).toBe(expected[frequency])
        }
      }),
    )
  })

  it('match nothing on the 29th to 31st, on quarter days 91 and 92 and on year day 366', () => {
    const skipped = (date: string) =>
      FREQUENCIES.filter((frequency) => dueDayOn(day(date), frequency).skipped)
    expect(skipped('2024-12-31')).toEqual([1, 2, 3])
    expect(skipped('2025-12-31')).toEqual([1, 2])
    expect(skipped('2025-09-29')).toEqual([1, 2])
    expect(skipped('2025-09-28')).toEqual([])
    expect(skipped('2025-03-31')).toEqual([1])
    expect(dueDayOn(day('2024-12-31'), 3)).toEqual({
      skipped: true,
      dueDay: 366,
      reason: 'No subscription can be due on day 366 of a year.',
    })
  })

  it('come next where a day by day search finds them', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: LAST_DAY - 400 }), ({ frequency, dueDay }, from) => {
        let expected = from
        while (dueDayOn(expected, frequency).dueDay !== dueDay) expected += 1
        expect(nextDueDay(frequency, dueDay, from)).toBe(expected)
      }),
    )
  })

  it('are listed, counted and numbered alike', () => {
    const span = fc.integer({ min: -1, max: 2_000 })
    fc.assert(
      fc.property(anySchedule, anyDay, span, ({ frequency, dueDay }, from, length) => {
        const to = Math.min(from + length, LAST_DAY)
        const searched = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
          (dayNumber) => dueDayOn(dayNumber, frequency).dueDay === dueDay,
        )
        expect(dueDays(frequency, dueDay, from, to)).toEqual(searched)
        expect(countDueDays(frequency, dueDay, from, to)).toBe(searched.length)
        const numbered = searched.map((_, index) => nthDueDay(frequency, dueDay, from, index + 1))
        expect(numbered).toEqual(searched)
      }),
    )
  })

  it('end with the calendar', () => {
    expect(nextDueDay(3, 365, LAST_DAY)).toBe(LAST_DAY)
    expect(nextDueDay(3, 1, LAST_DAY)).toBeUndefined()
    expect(nthDueDay(0, 5, LAST_DAY, 2)).toBeUndefined()
    expect(countDueDays(1, 28, LAST_DAY + 1, LAST_DAY + 1_000)).toBe(0)
    expect(countDueDays(3, 365, 0, 10 * LAST_DAY)).toBe(8_030)
  })

  it('are none for a due day that the frequency does not have', () => {
    expect(nextDueDay(0, 0, 0)).toBeUndefined()
    expect(nextDueDay(1, 29, 0)).toBeUndefined()
    expect(dueDays(2, 91, 0, 10_000)).toEqual([])
  })
})
