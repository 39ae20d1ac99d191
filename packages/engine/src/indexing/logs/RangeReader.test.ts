import { describe, expect, it } from 'vitest'
import { RangeSize } from './RangeReader.ts'

/** Answers so many ranges of its own size. */
function answer(size: RangeSize, times: number, logs = 0, durationMs = 10) {
  for (let time = 0; time < times; time += 1) size.answered(size.blocks, logs, durationMs)
}

describe('the size of a range', () => {
  it('doubles while answers are quick and small, up to a bound', () => {
    const size = new RangeSize()
    const first = size.blocks
    answer(size, 3)
    expect(size.blocks).toBe(8 * first)
    answer(size, 100)
    expect(size.blocks).toBe(200_000)
  })

  it('stays where answers are slower or longer, and halves where they are slow or long', () => {
    const size = new RangeSize()
    const first = size.blocks
    answer(size, 5, 5_000)
    answer(size, 5, 0, 3_000)
    expect(size.blocks).toBe(first)
    answer(size, 1, 20_000)
    expect(size.blocks).toBe(first / 2)
    answer(size, 1, 0, 6_000)
    expect(size.blocks).toBe(first / 4)
  })

  it('does not grow after the answer to a shorter range', () => {
    const size = new RangeSize()
    size.answered(1, 0, 1)
    expect(size.blocks).toBe(new RangeSize().blocks)
  })

  it('halves down to one block when nodes refuse, or takes the size that they name', () => {
    const size = new RangeSize()
    size.refused(size.blocks, 300)
    expect(size.blocks).toBe(300)
    for (let refusal = 0; refusal < 20; refusal += 1) size.refused(size.blocks)
    expect(size.blocks).toBe(1)
  })

  it('keeps below what was refused for a while, and then tries again', () => {
    const size = new RangeSize()
    size.refused(800)
    answer(size, 50)
    expect(size.blocks).toBe(799)
    answer(size, 2)
    expect(size.blocks).toBeGreaterThan(800)
  })

  it('recovers soon after requests that got no answer', () => {
    const size = new RangeSize()
    const first = size.blocks
    for (let failure = 0; failure < 5; failure += 1) size.failed(size.blocks)
    expect(size.blocks).toBeLessThan(first / 16)
    answer(size, 6)
    expect(size.blocks).toBeGreaterThanOrEqual(first)
  })
})
