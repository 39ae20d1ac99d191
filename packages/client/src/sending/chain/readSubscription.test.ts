import { describe, expect, it } from 'vitest'
import { UnsafeTransactionError } from '../errors.ts'
import { toSmallest } from './readSubscription.ts'

describe('toSmallest', () => {
  it.each([
    ['10', 6, 10_000_000n],
    ['0.000001', 6, 1n],
    ['1.50', 1, 15n],
    ['7', 0, 7n],
    ['1.000000000000000000', 6, 1_000_000n],
  ])('converts %s with %i decimals exactly', (amount, decimals, raw) => {
    expect(toSmallest(amount, decimals)).toBe(raw)
  })

  it.each([
    ['0.0000001', 6],
    ['1.5', 0],
    ['-1', 6],
    ['1e3', 6],
    ['1,5', 6],
    ['.5', 6],
    ['', 6],
  ])('refuses %j with %i decimals, and rounds nothing', (amount, decimals) => {
    expect(() => toSmallest(amount, decimals)).toThrow(UnsafeTransactionError)
  })
})
