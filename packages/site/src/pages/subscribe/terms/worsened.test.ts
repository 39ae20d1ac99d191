import { describe, expect, it } from 'vitest'
import { type Affected, isHelped, worsened } from './worsened.ts'

const TODAY = 20_779

// Safe: it is all that is looked at.
const rowOf = (id: string, before: number | null, after: number | null) =>
  ({
    id,
    before: { failsOn: before === null ? null : { dayNumber: TODAY + before } },
    after: { failsOn: after === null ? null : { dayNumber: TODAY + after } },
  }) as unknown as Affected

describe('another subscription of the wallet', () => {
  it.each([
    ['ends sooner, within a year', 200, 100, true],
    ['had no end', null, 100, true],
    ['ends sooner, in two years', 900, 700, false],
    ['ends on the same day', 100, 100, false],
    ['ends later', 100, 200, false],
    ['has no end', null, null, false],
  ] as const)('that %s is told of or not', (_what, before, after, isTold) => {
    const alsoAffects = [rowOf('0x1', before, after)]
    expect(worsened({ alsoAffects }, TODAY)).toEqual(isTold ? alsoAffects : [])
  })

  it('is offered a larger permission only where that gives it another day', () => {
    const worse = [rowOf('0x1', 200, 100)]
    expect(isHelped(worse, [])).toBe(true)
    expect(isHelped(worse, [rowOf('0x1', 200, 150)])).toBe(true)
    expect(isHelped(worse, [rowOf('0x1', 200, 100)])).toBe(false)
  })
})
