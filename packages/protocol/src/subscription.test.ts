import { describe, expect, it } from 'vitest'
import { dayNumberOf } from './calendar.ts'
import { dueSchedule, MOST_OVERDUE } from './dueSchedule.ts'
import {
  accountStatus,
  dueDayRange,
  FREQUENCIES,
  frequencyLabel,
  isDueDay,
  parseFrequency,
  subscriptionTerms,
} from './subscription.ts'

describe('frequencies', () => {
  it('are labelled and bounded as the contract bounds them', () => {
    expect(FREQUENCIES.map((frequency) => [frequencyLabel(frequency), dueDayRange(frequency)])).toEqual([
      ['WEEKLY', { min: 1, max: 7, revertCode: '14' }],
      ['MONTHLY', { min: 1, max: 28, revertCode: '15' }],
      ['QUARTERLY', { min: 1, max: 90, revertCode: '16' }],
      ['YEARLY', { min: 1, max: 365, revertCode: '17' }],
    ])
  })

  it.each([-1, 4, 0.5, 256n, Number.NaN])('refuses %s', (value) => {
    expect(() => parseFrequency(value)).toThrow(RangeError)
  })

  it('accepts due days at both ends of the range and nothing beyond', () => {
    for (const frequency of FREQUENCIES) {
      const { min, max } = dueDayRange(frequency)
      const tested = [min - 1, min, max, max + 1, min + 0.5].map((dueDay) => isDueDay(frequency, dueDay))
      expect(tested).toEqual([false, true, true, false, false])
    }
  })
})

it('account statuses are named by their numbers and refuse others', () => {
  expect([0, 1n, 2].map(accountStatus)).toEqual(['ACTIVE', 'CANCELLED', 'UNSUBSCRIBED'])
  expect(() => accountStatus(3)).toThrow(
    new RangeError('3 is not an account status of the protocol (0 to 2)'),
  )
})

describe('subscriptionTerms', () => {
  const struct = {
    id: '0x01',
    amount: 5n,
    provider: '0x0000000000000000000000000000000000000001',
    token: '0x0000000000000000000000000000000000000002',
    cancelled: false,
    frequency: 3,
    dueDay: 365,
    extra: 'dropped',
  } as const

  it('keeps the struct’s seven fields and nothing else', () => {
    const { extra: _, ...terms } = struct
    expect(subscriptionTerms(struct)).toEqual(terms)
  })

  it('refuses a frequency that the protocol does not have', () => {
    expect(() => subscriptionTerms({ ...struct, frequency: 4 })).toThrow('4 is not a frequency')
  })
})

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
