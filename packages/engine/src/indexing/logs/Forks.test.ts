import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockRef } from '../../ports/history.ts'
import type { NodeHeader } from '../../ports/nodes.ts'
import { findAncestor } from './Forks.ts'

const { signal } = new AbortController()

const blockOf = (number: number, branch: string): NodeHeader => ({
  number,
  hash: `0x${branch}${number}`,
  parentHash: '0x',
  timestamp: number,
  logsBloom: '0x',
})

/** A chain that has lost everything above `kept`, and has others there up to `head`. */
function chainThatKept(kept: number, head: number) {
  const asked: number[] = []
  return {
    asked,
    headers: async (numbers: readonly number[]) => {
      asked.push(numbers.length)
      return numbers.map((number) => (number > head ? undefined : blockOf(number, number > kept ? 'b' : 'a')))
    },
  }
}

/** Stands at the first of the blocks, and remembers all of them, newest first. */
function tipOf(numbers: readonly number[]) {
  const blocks: BlockRef[] = numbers.map((number) => blockOf(number, 'a'))
  const [block = blockOf(0, 'a')] = blocks
  return {
    block,
    finalizedBlock: 0,
    approvalsOf: [],
    rememberedBlocks: async (below: number, most: number) =>
      blocks.filter(({ number }) => number <= below).slice(0, most),
  }
}

describe('the ancestor', () => {
  it('is the newest stored block that is still on the chain, whichever are stored', async () => {
    const remembered = fc.uniqueArray(fc.nat(5_000), { minLength: 1, maxLength: 1_500 })
    await fc.assert(
      fc.asyncProperty(remembered, fc.nat(5_000), async (numbers, kept) => {
        const newestFirst = numbers.toSorted((a, b) => b - a)
        const chain = chainThatKept(kept, 6_000)
        const found = await findAncestor(chain, tipOf(newestFirst), blockOf(6_000, 'b'), 0, signal)
        const expected = newestFirst.find((number) => number <= kept)
        expect(found && found !== 'lagging' ? found.number : found).toBe(expected)
        expect(Math.max(...chain.asked)).toBeLessThanOrEqual(40)
      }),
      { numRuns: 60 },
    )
  })

  it('of a shallow fork takes two requests, and of one of 900 blocks a handful', async () => {
    const remembered = Array.from({ length: 1_000 }, (_, index) => 1_000 - index)
    const shallow = chainThatKept(998, 1_001)
    await findAncestor(shallow, tipOf(remembered), blockOf(1_001, 'b'), 0, signal)
    expect(shallow.asked.length).toBeLessThanOrEqual(3)
    const deep = chainThatKept(100, 1_001)
    await findAncestor(deep, tipOf(remembered), blockOf(1_001, 'b'), 0, signal)
    expect(deep.asked.length).toBeLessThanOrEqual(6)
  })

  it('is not searched at a node that does not have the head', async () => {
    const chain = chainThatKept(5, 8)
    expect(await findAncestor(chain, tipOf([9, 8, 7]), blockOf(9, 'b'), 0, signal)).toBe('lagging')
  })
})
