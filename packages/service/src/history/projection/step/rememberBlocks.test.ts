import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksToForget } from './rememberBlocks.ts'

/** What is left of a chain's final blocks after as many steps as it has blocks, each `stride` on. */
function remembered(blocks: number, stride: number): number[] {
  let kept: number[] = [0]
  for (let newest = stride; newest <= blocks; newest += stride) {
    kept.push(newest)
    const forgotten = new Set(blocksToForget(kept, newest))
    kept = kept.filter((number) => !forgotten.has(number))
  }
  return kept
}

describe('the final blocks whose hashes are kept', () => {
  it('are few, however long the chain is', () => {
    expect(remembered(4_000, 1).length).toBeLessThan(500)
    expect(remembered(4_000_000, 1_000).length).toBeLessThan(500)
  })

  it('are the newest ones, all of them, and the origin', () => {
    const kept = remembered(3_000, 1)
    expect(kept[0]).toBe(0)
    expect(kept.slice(-60)).toEqual(Array.from({ length: 60 }, (_, index) => 2_941 + index))
  })

  it('include one not much deeper than any reorganisation reaches', () => {
    const kept = remembered(4_000, 1)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000 }), (depth) => {
        const ancestor = kept.findLast((number) => number <= 4_000 - depth) ?? -1
        expect(4_000 - ancestor).toBeLessThanOrEqual(Math.ceil(depth * 1.15) + 1)
      }),
    )
  })
})
