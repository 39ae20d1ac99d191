import { inToken, previewOf } from '@remit/site/testing/pages/desk/create/preview'
import { describe, expect, it } from 'vitest'

const USDC = { symbol: 'USDC', address: '0x0', decimals: 6, minimum: '0.01', minimumRaw: 10_000n }
/** Monday 2 March 2026, noon UTC, with every earlier day collected. */
const GROUND = { timestamp: Date.UTC(2026, 2, 2, 12) / 1000, callerFee: 10_200n, nextUncheckedDay: 20_514 }

const told = (amount: string, frequency: 0 | 1 | 2 | 3, dueDay: number) => {
  const known = previewOf({ amount, frequency, dueDay }, USDC, GROUND)
  if (!known.ok) return Object.values(known.problems).join(' ')
  const { today, days, fee, year } = known.preview
  const words = (raw: bigint) => inToken(raw, USDC)
  return {
    now: words(today.total),
    toProvider: words(today.toProvider),
    days: days.length,
    fee: words(fee),
    paid: words(year.paid),
    collectors: words(year.collectors),
    putAside: words(year.putAside),
    reachesYou: words(year.reachesYou),
  }
}

describe('what a plan means', () => {
  it('is told by the protocol’s rules: the part of the first period, each payment, and what collecting costs', () => {
    expect(told('36.5', 1, 9)).toMatchInlineSnapshot(`
      {
        "collectors": "8.76",
        "days": 12,
        "fee": "0.73",
        "now": "8.4",
        "paid": "446.4",
        "putAside": "8.765",
        "reachesYou": "428.875",
        "toProvider": "0",
      }
    `)
    expect(told('10', 0, 3)).toMatchInlineSnapshot(`
      {
        "collectors": "10.4",
        "days": 52,
        "fee": "0.2",
        "now": "2.857142",
        "paid": "522.857142",
        "putAside": "2.457142",
        "reachesYou": "510",
        "toProvider": "0",
      }
    `)
  })

  it.each([
    ['today, and not collected yet', 61, 20_514, { days: 1, paid: '101.999999' }],
    ['today, and collected', 61, 20_515, { days: 0, paid: '100' }],
    ['tomorrow', 62, 20_514, { days: 1, paid: '101.999999' }],
  ])('takes a yearly price once in twelve months where it is due %s', (_, dueDay, nextUncheckedDay, told) => {
    const ground = { ...GROUND, nextUncheckedDay }
    const known = previewOf({ amount: '100', frequency: 3, dueDay }, USDC, ground)
    if (!known.ok) throw new Error(JSON.stringify(known.problems))
    const { days, year } = known.preview
    expect({ days: days.length, paid: inToken(year.paid, USDC) }).toEqual(told)
  })

  it('adds up: what one member pays is with the provider, with the collectors, or still put aside', () => {
    for (const [frequency, dueDay] of [
      [0, 1],
      [1, 28],
      [2, 90],
      [3, 365],
    ] as const) {
      const known = previewOf({ amount: '7.77', frequency, dueDay }, USDC, GROUND)
      if (!known.ok) throw new Error(JSON.stringify(known.problems))
      const { paid, collectors, putAside, reachesYou } = known.preview.year
      expect(reachesYou + collectors + putAside).toBe(paid)
      expect(reachesYou).toBeGreaterThan(0n)
      expect(putAside).toBeGreaterThanOrEqual(0n)
    }
  })

  it('takes a comma for the point where it can mean nothing else', () => {
    expect(told('36,5', 1, 9)).toEqual(told('36.5', 1, 9))
  })

  it.each([
    ['1,000', 1, 1, /12.50/],
    ['', 1, 1, /12.50/],
    ['0.001', 1, 1, /^At least 0.01 USDC/],
    ['1.1234567', 1, 1, /at most 6 decimals/],
    ['10', 1, 29, /1 to 28/],
    ['10', 2, Number.NaN, /1 to 90/],
    ['1,000', 1, 31, /12.50.*1 to 28/],
  ] as const)('says what is wrong with %s, frequency %s, day %s', (amount, frequency, dueDay, words) => {
    expect(told(amount, frequency, dueDay)).toMatch(words)
  })
})
