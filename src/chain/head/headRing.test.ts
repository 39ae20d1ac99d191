import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Head } from './blockHeader.ts'
import { HeadRing } from './headRing.ts'

const hashOf = (number: number, fork = 'a'): Hex => `0x${fork}${number}`
const block = (number: number, fork = 'a', parentFork = fork): Head => ({
  number,
  hash: hashOf(number, fork),
  parentHash: hashOf(number - 1, parentFork),
  timestamp: number,
  seenAt: 0,
})

/** A ring that has seen blocks of one fork up to `head`. */
function ringAt(head: number, rollbackAfterMs = 500) {
  const ring = new HeadRing({ rollbackAfterMs })
  for (let number = head - 5; number <= head; number++) ring.judge(block(number), 0)
  return ring
}

describe('the head', () => {
  it('moves on with the chain, also over blocks that were not seen', () => {
    const ring = new HeadRing({ rollbackAfterMs: 500 })
    expect(ring.judge(block(10), 0)).toBe('next')
    expect(ring.judge(block(10), 0)).toBe('same')
    expect(ring.judge(block(11), 0)).toBe('next')
    expect(ring.judge(block(40), 0)).toBe('next')
  })

  it('does not go back to its ancestors, nor to older blocks that were never seen', () => {
    const ring = ringAt(10)
    expect(ring.judge(block(9), 0)).toBe('lag')
    expect(ring.judge(block(6), 0)).toBe('lag')
    expect(ring.judge(block(2), 0)).toBe('lag')
    expect(ring.judge(block(11), 0)).toBe('next')
  })

  it('follows a reorg to another block of the same height, a lower or the next one', () => {
    expect(ringAt(10).judge(block(10, 'b'), 0)).toBe('reorg')
    expect(ringAt(10).judge(block(8, 'b'), 0)).toBe('reorg')
    expect(ringAt(10).judge(block(11, 'b'), 0)).toBe('reorg')
    expect(ringAt(10).judge(block(11, 'b', 'a'), 0)).toBe('next')
  })

  it('does not go back for nodes that lag, however long no other node answers', () => {
    const ring = ringAt(10)
    // One node follows three blocks behind, and two hang at different blocks.
    for (let now = 0, number = 4; number < 10; now += 1_000, number += 1) {
      expect(ring.judge(block(number), now)).toBe('lag')
    }
    for (let now = 10_000; now < 20_000; now += 400) {
      expect(ring.judge(block(7 + (now % 800 === 0 ? 0 : 1)), now)).toBe('lag')
    }
    expect(ring.judge(block(11), 30_000)).toBe('next')
  })

  it('follows a chain that was rolled back as soon as a new block replaces a known one', () => {
    const ring = ringAt(10)
    expect(ring.judge(block(7, 'b', 'a'), 0)).toBe('reorg')
    const late = new HeadRing({ rollbackAfterMs: 500 })
    for (const number of [4, 8]) late.judge(block(number), 0)
    expect(late.judge(block(5, 'b', 'b'), 0)).toBe('reorg')
  })

  it('goes back if nodes name one older block for long enough', () => {
    const ring = ringAt(10)
    expect(ring.judge(block(8), 1_000)).toBe('lag')
    expect(ring.judge(block(8), 1_250)).toBe('lag')
    expect(ring.judge(block(8), 1_450)).toBe('lag')
    expect(ring.judge(block(8), 1_500)).toBe('reorg')
    expect(ring.judge(block(9), 1_600)).toBe('next')
  })

  it('ignores nodes that lag and answer in turn with others', () => {
    const ring = ringAt(10)
    for (let now = 0; now < 5_000; now += 250) {
      expect(ring.judge(block(9), now)).toBe('lag')
      expect(ring.judge(block(10), now + 100)).toBe('same')
    }
  })

  it('compares with the new chain after a reorg', () => {
    const ring = ringAt(10)
    ring.judge(block(9, 'b'), 0)
    expect(ring.judge(block(10, 'a'), 0)).toBe('reorg')
    expect(ring.judge(block(8, 'b'), 0)).toBe('lag')
  })
})
