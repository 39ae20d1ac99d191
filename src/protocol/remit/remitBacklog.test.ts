import { describe, expect, it } from 'vitest'
import { dayNumberOf } from '../calendar.ts'
import { dueListsBetween, removeAt } from './remitBacklog.ts'

const day = (date: string) => dayNumberOf(date) ?? Number.NaN

describe('dueListsBetween', () => {
  it('names the lists of each day and no list for days that match nothing', () => {
    expect(dueListsBetween(day('2025-12-30'), day('2026-01-01'))).toEqual([
      { frequency: 0, dueDay: 2 },
      { frequency: 3, dueDay: 364 },
      { frequency: 0, dueDay: 3 },
      { frequency: 3, dueDay: 365 },
      { frequency: 0, dueDay: 4 },
      { frequency: 1, dueDay: 1 },
      { frequency: 2, dueDay: 1 },
      { frequency: 3, dueDay: 1 },
    ])
  })

  it('names every list once, however long the backlog', () => {
    expect(dueListsBetween(0, 2_000_000)).toHaveLength(7 + 28 + 90 + 365)
  })

  it('is empty where remit is up to date', () => {
    expect(dueListsBetween(10, 9)).toEqual([])
  })
})

it('removeAt moves the last element into the gap', () => {
  const list = ['a', 'b', 'c', 'd']
  removeAt(list, 2)
  expect(list).toEqual(['a', 'd', 'c'])
  removeAt(list, 3)
  expect(list).toEqual(['a', 'd'])
  removeAt(list, 1)
  removeAt(list, 1)
  expect(list).toEqual([])
})
