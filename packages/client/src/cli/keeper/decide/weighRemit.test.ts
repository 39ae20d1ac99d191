import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Decimal, parseDecimal, toWei } from './decimal.ts'
import { weighRemit } from './weighRemit.ts'

const WEI = 10n ** 18n
const OTHER = getAddress(`0x${'b2'.repeat(20)}`)

const addresses = fc
  .bigInt({ min: 1n, max: 2n ** 160n - 1n })
  .map((value) => getAddress(`0x${value.toString(16).padStart(40, '0')}`))
const decimals = fc.record({
  digits: fc.bigInt({ min: 0n, max: 10n ** 30n }),
  scale: fc.integer({ min: 0, max: 30 }),
})
const gains = fc.uniqueArray(
  fc.record({
    token: fc.record({
      address: addresses,
      symbol: fc.constant('T'),
      decimals: fc.integer({ min: 0, max: 24 }),
    }),
    amountRaw: fc.bigInt({ min: 1n, max: 2n ** 128n }),
    price: fc.option(decimals, { nil: undefined }),
  }),
  { selector: ({ token }) => token.address, maxLength: 5 },
)

function pricesOf(list: readonly { token: { address: string }; price: Decimal | undefined }[]) {
  return new Map(
    list.flatMap(({ token, price }) => (price ? [[token.address.toLowerCase(), price] as const] : [])),
  )
}

describe('the value of a remit', () => {
  it('is exact: never more than the tokens are worth, and less by at most a wei a token', () => {
    fc.assert(
      fc.property(gains, (list) => {
        const { valueWei } = weighRemit({
          gains: list,
          prices: pricesOf(list),
          costWei: 0n,
          minProfitWei: 0n,
        })
        // As one fraction over a common denominator, without any rounding.
        const unit = 10n ** 60n
        const exact = list.reduce(
          (sum, { amountRaw, token, price }) =>
            price === undefined
              ? sum
              : sum + (amountRaw * price.digits * WEI * unit) / 10n ** BigInt(token.decimals + price.scale),
          0n,
        )
        expect(valueWei * unit).toBeLessThanOrEqual(exact)
        expect((valueWei + BigInt(list.length)) * unit).toBeGreaterThanOrEqual(exact)
      }),
    )
  })

  it('is never made up: a token without a price counts 0 and is named', () => {
    fc.assert(
      fc.property(gains, (list) => {
        const { valueWei, unpriced } = weighRemit({
          gains: list,
          prices: new Map(),
          costWei: 0n,
          minProfitWei: 0n,
        })
        expect(valueWei).toBe(0n)
        expect(unpriced).toEqual(list.map(({ token }) => token))
      }),
    )
  })

  it('is worth sending exactly when it is more than the cost and the least profit together', () => {
    const amounts = fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n })
    fc.assert(
      fc.property(gains, fc.bigInt({ min: 0n, max: 2n ** 90n }), amounts, (list, costWei, minProfitWei) => {
        const weighing = weighRemit({ gains: list, prices: pricesOf(list), costWei, minProfitWei })
        expect(weighing.profitWei).toBe(weighing.valueWei - costWei)
        expect(weighing.isWorthwhile).toBe(weighing.valueWei > costWei + minProfitWei)
      }),
    )
  })

  it('is strictly more than the cost: break-even is not sent', () => {
    const token = { address: OTHER, symbol: 'T', decimals: 18 }
    const weigh = (costWei: bigint) =>
      weighRemit({
        gains: [{ token, amountRaw: 5n }],
        prices: new Map([[OTHER.toLowerCase(), { digits: 1n, scale: 0 }]]),
        costWei,
        minProfitWei: 0n,
      }).isWorthwhile
    expect([weigh(4n), weigh(5n), weigh(6n)]).toEqual([true, false, false])
  })
})

describe('decimal numbers', () => {
  it('are read without loss', () => {
    expect(parseDecimal('0.0004')).toEqual({ digits: 4n, scale: 4 })
    expect(parseDecimal('-12.50')).toEqual({ digits: -1250n, scale: 2 })
  })

  it.each(['', '.', '1.', '.5', '1e3', '1,5', '0x1', ' 1', '--1', 'NaN', 'Infinity', '+1'])(
    'refuse %j',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined()
    },
  )

  it('are wei where they are no finer than a wei', () => {
    const wei = (text: string) => toWei(parseDecimal(text) ?? { digits: 0n, scale: 0 })
    expect(wei('0.000000000000000001')).toBe(1n)
    expect(wei('-0.5')).toBe(-5n * 10n ** 17n)
    expect(wei('1.00000000000000000000')).toBe(WEI)
    expect(wei('0.0000000000000000001')).toBeUndefined()
  })
})
