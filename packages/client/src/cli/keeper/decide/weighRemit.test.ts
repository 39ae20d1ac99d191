import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  cappedFees,
  type Decimal,
  feeCeiling,
  parseDecimal,
  raisedFees,
  toWei,
  weighRemit,
} from './weighRemit.ts'

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

const wei = fc.bigInt({ min: 0n, max: 10n ** 20n })
const purse = fc.record({
  valueWei: wei,
  minProfitWei: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
  maxFeeWei: fc.bigInt({ min: 1n, max: 10n ** 18n }),
  gasLimit: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
  l1DataFeeWei: fc.bigInt({ min: 0n, max: 10n ** 16n }),
})
const fees = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 13n }), fc.bigInt({ min: 0n, max: 10n ** 13n }))
  .map(([maxPriorityFeePerGas, baseFee]) => ({
    maxFeePerGas: maxPriorityFeePerGas + baseFee,
    maxPriorityFeePerGas,
  }))

it('signs nothing that could cost more than its bound, or than leaves the least profit, in whatever block', () => {
  fc.assert(
    fc.property(purse, fees, (given, suggested) => {
      const ceiling = feeCeiling(given)
      fc.pre(ceiling >= 0n)
      const { maxFeePerGas, maxPriorityFeePerGas } = cappedFees(suggested, ceiling)
      const dearest = given.gasLimit * maxFeePerGas + given.l1DataFeeWei
      expect(given.valueWei - dearest).toBeGreaterThan(given.minProfitWei)
      expect(dearest).toBeLessThanOrEqual(given.maxFeeWei)
      expect(maxPriorityFeePerGas).toBeLessThanOrEqual(maxFeePerGas)
    }),
  )
})

it('leaves no room for fees where there is nothing to spend', () => {
  const nothing = { valueWei: 5n, minProfitWei: 5n, maxFeeWei: 99n, gasLimit: 21_000n, l1DataFeeWei: 0n }
  expect(feeCeiling(nothing)).toBeLessThan(0n)
  expect(feeCeiling({ ...nothing, valueWei: 10n ** 18n, l1DataFeeWei: 100n })).toBeLessThan(0n)
})

it('keeps the usual fees wherever they pay', () => {
  const suggested = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n }
  expect(cappedFees(suggested, 100n)).toEqual(suggested)
  expect(cappedFees(suggested, 50n)).toEqual({ maxFeePerGas: 50n, maxPriorityFeePerGas: 10n })
})

it('raises both fees by more than a tenth, which nodes ask for, and never above the ceiling', () => {
  fc.assert(
    fc.property(fees, fees, fc.bigInt({ min: 0n, max: 10n ** 14n }), (sent, usual, ceiling) => {
      const raised = raisedFees({ sent, usual, ceiling })
      if (raised === undefined) {
        // Only where the least raise is beyond it.
        expect((sent.maxFeePerGas * 9n + 7n) / 8n).toBeGreaterThan(ceiling)
        return
      }
      expect(raised.maxFeePerGas * 10n).toBeGreaterThanOrEqual(sent.maxFeePerGas * 11n)
      expect(raised.maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(sent.maxPriorityFeePerGas * 11n)
      expect(raised.maxFeePerGas).toBeLessThanOrEqual(ceiling)
      expect(raised.maxPriorityFeePerGas).toBeLessThanOrEqual(raised.maxFeePerGas)
    }),
  )
})
