import { describe, expect, it } from 'vitest'
import { UnreachedHeads } from './ChainIndex.ts'

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
