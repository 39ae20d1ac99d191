import fc from 'fast-check'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  formatHuman,
  isMore,
  minimumRaw,
  parseHuman,
  protocolRange,
  rawToProtocol,
  toRaw,
} from './amounts.ts'
import { largestPayable } from './largestPayable.ts'

const decimals = fc.integer({ min: 0, max: 40 })
const uint256 = fc.bigInt({ min: 0n, max: maxUint256 })

it('toRaw truncates below 18 decimals and multiplies above', () => {
  expect(toRaw(1_999_999_999_999n, 6)).toBe(1n)
  expect(toRaw(999_999_999_999n, 6)).toBe(0n)
  expect(toRaw(7n, 18)).toBe(7n)
  expect(toRaw(7n, 20)).toBe(700n)
  expect(toRaw(10n ** 18n, 0)).toBe(1n)
})

describe('minimumRaw', () => {
  it('is the smallest raw amount that meets the minimum', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 18 }),
        (minimum, places) => {
          const raw = minimumRaw(minimum, places)
          const unit = 10n ** BigInt(18 - places)
          expect(raw * unit).toBeGreaterThanOrEqual(minimum)
          expect((raw - 1n) * unit).toBeLessThan(minimum)
        },
      ),
    )
  })

  it('has nothing to round above 18 decimals, nor at zero', () => {
    expect([minimumRaw(3n, 20), minimumRaw(0n, 6)]).toEqual([300n, 0n])
  })
})

describe('rawToProtocol', () => {
  it('gives the amount that the contract turns back into the same raw amount, or refuses', () => {
    fc.assert(
      fc.property(uint256, decimals, (raw, places) => {
        const result = rawToProtocol(raw, places)
        if (result.ok) {
          expect(result.amount).toBeLessThanOrEqual(maxUint256)
          expect(toRaw(result.amount, places)).toBe(raw)
        } else {
          expect(result.reason).toBe(places > 18 ? 'too-precise' : 'too-large')
        }
      }),
    )
  })

  it('refuses digits that the protocol cannot keep', () => {
    expect(rawToProtocol(100n, 20)).toEqual({ ok: true, amount: 1n })
    expect(rawToProtocol(101n, 20)).toEqual({
      ok: false,
      reason: 'too-precise',
      message: 'The protocol keeps 18 decimals; 0.00000000000000000101 has more.',
    })
  })
})

describe('human amounts', () => {
  it('survive the way out and back exactly', () => {
    fc.assert(
      fc.property(uint256, decimals, (raw, places) => {
        expect(parseHuman(formatHuman(raw, places), places)).toEqual({ ok: true, raw })
      }),
    )
  })

  it('are written without exponents or trailing zeros, losses with a minus', () => {
    expect(formatHuman(10_500_000n, 6)).toBe('10.5')
    expect(formatHuman(10_000_000n, 6)).toBe('10')
    expect(formatHuman(1n, 20)).toBe('0.00000000000000000001')
    expect(formatHuman(-10_500_000n, 6)).toBe('-10.5')
    expect(formatHuman(0n, 6)).toBe('0')
    expect(formatHuman(100n, 0)).toBe('100')
    expect(formatHuman(maxUint256, 0)).toBe(maxUint256.toString())
  })

  it.each([
    '',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e3',
    '1,000',
    '1_000',
    ' 1',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '１',
  ])('are not read from %j', (text) => {
    expect(parseHuman(text, 6)).toMatchObject({ ok: false, reason: 'malformed' })
  })

  it('are never rounded: more fraction digits than decimals are refused, zeros too', () => {
    expect(parseHuman('1.0000001', 6)).toMatchObject({ ok: false, reason: 'too-precise' })
    expect(parseHuman('1.0000000', 6)).toMatchObject({ ok: false, reason: 'too-precise' })
    expect(parseHuman('1.0', 0)).toMatchObject({ ok: false, reason: 'too-precise' })
    expect(parseHuman('1.000000', 6)).toEqual({ ok: true, raw: 1_000_000n })
  })

  it('fit in 256 bits, whatever the length of their digits', () => {
    expect(parseHuman(maxUint256.toString(), 0)).toEqual({ ok: true, raw: maxUint256 })
    expect(parseHuman((maxUint256 + 1n).toString(), 0)).toMatchObject({ ok: false, reason: 'too-large' })
    expect(parseHuman('9'.repeat(1_000_000), 6)).toMatchObject({ ok: false, reason: 'too-large' })
    expect(parseHuman(`${'0'.repeat(1_000)}7`, 0)).toEqual({ ok: true, raw: 7n })
  })

  it('are refused in words that a caller can act on', () => {
    const refusals = [
      parseHuman('1e3', 6),
      parseHuman('1.0000001', 6),
      parseHuman((maxUint256 + 1n).toString(), 0),
      rawToProtocol(maxUint256, 17),
    ]
    expect(refusals.map((refusal) => (refusal.ok ? '' : refusal.message))).toEqual([
      'An amount is a plain decimal number such as "10.5": no sign, no exponent, no separators.',
      'The amount has 7 fraction digits; the token has 6 decimals.',
      'The amount exceeds 2^256 - 1 in the smallest unit of the token.',
      `${formatHuman(maxUint256, 17)} is more than the protocol can hold (2^256 - 1 in 18 decimals).`,
    ])
  })
})

describe.each([6, 17, 18, 19, 20, 24, 60])('in a token of %i decimals', (decimals) => {
  it.each([10_000n, 10_833n])(
    'and with a caller fee of %s, one more than the largest payable amount overflows',
    (callerFee) => {
      const factor = decimals > 18 ? 10n ** BigInt(decimals - 18) : 1n
      const fits = (amount: bigint) => amount * callerFee <= maxUint256 && amount * factor <= maxUint256
      const most = largestPayable({ callerFee, decimals })
      expect([fits(most), fits(most + 1n)]).toEqual([true, false])
    },
  )
})

describe('protocolRange', () => {
  const bound = fc
    .tuple(fc.nat({ max: 30 }), fc.option(fc.stringMatching(/^\d{1,25}$/), { nil: undefined }))
    .map(([whole, fraction]) => (fraction === undefined ? `${whole}` : `${whole}.${fraction}`))

  it('holds just the amounts that are charged as no less and no more, to its ends, whatever the decimals', () => {
    const amounts = fc.bigInt({ min: 0n, max: 32n * 10n ** 18n })
    fc.assert(
      fc.property(amounts, decimals, bound, bound, (amount, places, least, most) => {
        const range = protocolRange({ least, most }, places)
        const ends = [range.least, range.most ?? 0n].flatMap((end) => [end - 1n, end, end + 1n])
        for (const each of [amount, ...ends].filter((one) => one >= 0n)) {
          const charged = formatHuman(toRaw(each, places), places)
          expect(each >= range.least).toBe(!isMore(least, charged))
          expect(each <= (range.most ?? 0n)).toBe(!isMore(charged, most))
        }
      }),
    )
  })

  it('has no end where nobody gives one', () => {
    expect(protocolRange({ least: undefined, most: undefined }, 6)).toEqual({ least: 0n, most: null })
  })
})
