import { describe, expect, it } from 'vitest'
import { BackfillMeter } from './backfill.ts'
import { UnreachedHeads } from './ChainIndex.ts'

describe('the progress of a backfill', () => {
  it('shows blocks, percent, rate and time left', () => {
    const meter = new BackfillMeter(1_000)
    meter.seen(999, 10_999, 0)
    meter.seen(2_999, 10_999, 1_000)
    meter.seen(4_999, 10_999, 2_000)
    meter.asks(500)
    expect(meter.progress()).toEqual({
      fromBlock: 1_000,
      toBlock: 10_999,
      blockNumber: 4_999,
      percent: 40,
      blocksPerSecond: 2_000,
      blocksPerRequest: 500,
      requestsLeft: 12,
      secondsLeft: 3,
    })
  })

  it('is null near the head, and ends at the head', () => {
    const meter = new BackfillMeter(0)
    meter.seen(900, 1_000, 0)
    expect(meter.progress()).toBeNull()
    meter.seen(0, 1_000, 0)
    meter.seen(950, 1_000, 1_000)
    expect(meter.progress()).toMatchObject({ percent: 95 })
    meter.seen(1_000, 1_000, 2_000)
    expect(meter.progress()).toBeNull()
  })

  it('shows no time left before a rate is known, and 100 percent only at the end', () => {
    const meter = new BackfillMeter(1)
    meter.seen(0, 100_000, 0)
    expect(meter.progress()).toMatchObject({ percent: 0, blocksPerSecond: 0, secondsLeft: null })
    meter.seen(99_999, 100_000, 1)
    expect(meter.progress()?.percent).toBe(99.9)
  })

  it('measures the rate of the last half minute only', () => {
    const meter = new BackfillMeter(0)
    meter.seen(0, 1_000_000, 0)
    meter.seen(100_000, 1_000_000, 1_000)
    for (let second = 2; second <= 60; second += 1) {
      meter.seen(100_000 + second * 10, 1_000_000, second * 1_000)
    }
    expect(meter.progress()?.blocksPerSecond).toBe(10)
  })
})

describe('how late an index is', () => {
  it('is measured by the oldest head that it has not reached', () => {
    const lateness = new UnreachedHeads()
    lateness.seen(10, 10, 0)
    expect(lateness.ms(5_000)).toBe(0)
    lateness.seen(10, 11, 5_000)
    lateness.seen(10, 12, 7_000)
    expect(lateness.ms(8_000)).toBe(3_000)
    lateness.seen(11, 12, 8_000)
    expect(lateness.ms(8_000)).toBe(1_000)
    lateness.seen(12, 12, 9_000)
    expect(lateness.ms(60_000)).toBe(0)
  })

  it('does not grow while an index keeps up one block behind', () => {
    const lateness = new UnreachedHeads()
    for (let number = 1; number < 1_000; number += 1) lateness.seen(number - 1, number, number * 2_000)
    expect(lateness.ms(999 * 2_000)).toBe(0)
  })

  it('keeps the oldest head however many follow', () => {
    const lateness = new UnreachedHeads()
    for (let number = 1; number < 1_000; number += 1) lateness.seen(0, number, number * 1_000)
    expect(lateness.ms(1_000_000)).toBe(999_000)
  })

  it('counts no block that a rollback has removed', () => {
    const lateness = new UnreachedHeads()
    lateness.seen(10, 15, 0)
    lateness.seen(10, 10, 1_000)
    expect(lateness.ms(60_000)).toBe(0)
  })
})
