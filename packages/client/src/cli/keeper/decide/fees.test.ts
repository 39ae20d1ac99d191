import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cappedFees, feeCeiling, raisedFees } from './fees.ts'

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
