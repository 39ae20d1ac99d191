import { expect, it } from 'vitest'
import { troubledOf } from './isSoon.ts'

const TODAY = 20_788
const at = (dayNumber: number) => ({ dayNumber, date: '' })
const failing = (days: number, nextIn: number) => ({
  trouble: at(TODAY + days),
  nextCharge: { day: at(TODAY + nextIn), dayNumber: TODAY + nextIn, outcome: 'fails' },
})

it('keeps whose next payment fails among those to write to, also after a newer reading of the days before', () => {
  // Safe: it is all that is looked at.
  const rows = [failing(31, 31), failing(20, 6), failing(60, 6)] as unknown as Parameters<
    typeof troubledOf
  >[0]
  const [next, soon, late] = rows
  expect(troubledOf(rows, TODAY)).toEqual({ soon: [next, soon], later: [late] })
  expect(troubledOf(rows, TODAY, TODAY + 30)).toEqual({ soon: [next], later: [late] })
})
