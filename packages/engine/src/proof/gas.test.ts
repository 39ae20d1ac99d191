import { describe, expect, it } from 'vitest'
import { limitFor, peakBeforeRefunds } from '../simulation/callGas.ts'
import { estimateOf, feesFrom, LOWEST_PRIORITY_FEE, requiredFunds, summaryOf } from './gas.ts'

const GWEI = 1_000_000_000n
const CAP = 2n ** 24n
const FEES = { baseFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 7n * GWEI }

function estimate(peakGas: bigint, l1DataFeeWei: bigint | null = null) {
  return estimateOf({
    chainId: 8453,
    gas: { peakGas, source: 'simulated' },
    fees: FEES,
    l1DataFeeWei,
    gasCap: CAP,
  })
}

describe('fees', () => {
  it('takes the median reward of blocks that were not empty, and twice the base fee of the next block', () => {
    const fees = feesFrom({
      baseFeePerGas: [100n, 110n, 120n, 130n, 140n].map((gwei) => gwei * GWEI),
      gasUsedRatio: [0.5, 0, 0.2, 0.9],
      reward: [[5n * GWEI], [0n], [2n * GWEI], [3n * GWEI]],
    })
    expect(fees).toEqual({
      baseFeePerGas: 140n * GWEI,
      maxPriorityFeePerGas: 3n * GWEI,
      maxFeePerGas: 283n * GWEI,
    })
  })

  it.each([
    ['every block was empty', [[0n], [0n]]],
    ['the node sends no rewards', null],
    ['the rewards are below the floor', [[5n], [7n]]],
  ])('never goes below the floor: %s', (_, reward) => {
    const fees = feesFrom({ baseFeePerGas: [7n, 7n, 7n], gasUsedRatio: [0.1, 0.1], reward })
    expect(fees.maxPriorityFeePerGas).toBe(LOWEST_PRIORITY_FEE)
    expect(fees.maxFeePerGas).toBe(14n + LOWEST_PRIORITY_FEE)
  })
})

describe('limits', () => {
  it('cover a full refund and four nested calls', () => {
    for (const gasUsed of [21_000n, 46_123n, 300_001n, 5_000_000n]) {
      const before = peakBeforeRefunds(gasUsed)
      expect(before - before / 5n).toBeGreaterThanOrEqual(gasUsed)
      expect(limitFor(before) * 63n ** 4n).toBeGreaterThan(before * 64n ** 4n)
    }
  })

  it('stop at the chain’s cap, with which the call was seen to succeed', () => {
    expect(limitFor(16_000_000n, CAP)).toBe(16_777_216n)
    expect(limitFor(18_000_000n, CAP)).toBe(16_777_216n)
    expect(limitFor(18_000_000n)).toBe(19_225_000n)
  })
})

describe('costs', () => {
  it('are the whole limit at the expected price, and the L1 data fee, exact to the wei', () => {
    const { gasLimit, estimatedCostWei, estimatedCostEth } = estimate(150_000n, 123n)
    expect(gasLimit).toBe(185_000n)
    expect(estimatedCostWei).toBe(185_000n * 4n * GWEI + 123n)
    expect(estimatedCostEth).toBe('0.000740000000000123')
  })

  it('are summed up over a batch, and over a backlog', () => {
    const summary = summaryOf(8453, [estimate(150_000n, 100n), estimate(30_000n, 200n)], 3)
    expect(summary).toEqual({
      chainId: 8453,
      totalGasLimit: 242_000n,
      totalEstimatedCostWei: 968_000_000_000_300n,
      totalEstimatedCostEth: '0.0009680000000003',
      transactionCount: 2,
      backlogMultiplier: 3,
      totalBacklogEstimatedCostWei: 2_904_000_000_000_900n,
      totalBacklogEstimatedCostEth: '0.0029040000000009',
    })
    expect(summaryOf(8453, [])).not.toHaveProperty('backlogMultiplier')
  })

  it('need the whole limit at the highest price in the wallet, as nodes demand', () => {
    expect(requiredFunds([estimate(150_000n, 100n), estimate(30_000n)], [5n, 0n])).toBe(
      242_000n * 7n * GWEI + 105n,
    )
  })
})
