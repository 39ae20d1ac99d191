import { describe, expect, it } from 'vitest'
import { publishedDay, sinceDayWords, sinceWords } from './since.ts'

/** Monday, 2 March 2026. */
const MONDAY = 20_514
const day = (dayNumber: number) => ({ dayNumber, date: '' })
const published = { eventName: 'Created', timestamp: (MONDAY + 9) * 86_400 + 100 }

describe('from when on a plan’s payments are told', () => {
  it('is the day of its publishing where that is known and was later than what was read', () => {
    expect(publishedDay([{ eventName: 'Subscribed', timestamp: 1 }, published])).toBe(MONDAY + 9)
    expect(sinceDayWords(day(MONDAY), MONDAY + 9)).toBe('it was published on Wed, 11 Mar 2026')
    expect(sinceDayWords(day(MONDAY), MONDAY - 1)).toBe('Mon, 2 Mar 2026')
    expect(sinceDayWords(day(MONDAY), undefined)).toBe('Mon, 2 Mar 2026')
  })

  it.each([
    ['week', 'the week of Mon, 9 Mar 2026'],
    ['month', 'March 2026'],
  ] as const)('is else the %s of the first payment among those that were read', (period, words) => {
    const intervals = [intervalFrom(MONDAY, 0), intervalFrom(MONDAY + 7, 1), intervalFrom(MONDAY + 14, 2)]
    const range = { from: day(MONDAY), period, published: undefined }
    expect(sinceWords({ token: TOKEN, intervals }, range)).toBe(words)
  })
})

const TOKEN = {
  address: '0x00000000000000000000000000000000000000aa',
  symbol: 'USDC',
  name: null,
  decimals: 6,
} as const
const NOTHING = { amount: '0', amountRaw: 0n, tokenDecimals: 6 }

function intervalFrom(dayNumber: number, payments: number) {
  return {
    from: day(dayNumber),
    payments,
    failures: 0,
    charged: NOTHING,
    received: NOTHING,
    intoFeeBalances: NOTHING,
    feeBalancesReceived: NOTHING,
    arrived: NOTHING,
    refunds: NOTHING,
    keptByCallers: NOTHING,
    keptBySystem: NOTHING,
  }
}
