import { describe, expect, it } from 'vitest'
import { GAS_WORDS, LIMIT_WORDS } from '../../../../test/support/nodes/limitWords.ts'
import { gasLimitIn, limitIn } from './limitIn.ts'

describe('a refusal', () => {
  it.each(LIMIT_WORDS)('by $node is understood', ({ refusal, means }) => {
    expect(limitIn(refusal)).toEqual(means)
  })

  it.each(GAS_WORDS)('because of gas, by $node, is understood', ({ refusal, grants }) => {
    expect(gasLimitIn(refusal)).toBe(grants)
  })

  it('that asks for a wait until a date, or for days, is heard as far as ten minutes', () => {
    const date = new Date(Date.now() + 20_000).toUTCString()
    const until = limitIn({ status: 429, retryAfter: date })
    expect(until).toMatchObject({ kind: 'rate', waitMs: expect.closeTo(20_000, -4) })
    expect(limitIn({ status: 429, retryAfter: '86400' })).toEqual({ kind: 'rate', waitMs: 600_000 })
    expect(limitIn({ status: 429, retryAfter: 'soon' })).toEqual({ kind: 'rate' })
  })
})
