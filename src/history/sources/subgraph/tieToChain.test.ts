import { expect, it } from 'vitest'
import { blockAt, fakeNodes, hashAt } from '../../../../test/support/history/fakeNodes.ts'
import { RangeRefusedError } from '../../../core/ports/node.ts'
import { tieToChain } from './tieToChain.ts'

const chain = { head: blockAt(510), finalizedBlock: 90 }
const { signal } = new AbortController()

/** A chain up to block 510 that notes for which ranges and how many headers it is asked, and refuses ranges above a size. */
function countingNode(mostBlocks = Number.POSITIVE_INFINITY) {
  const node = fakeNodes({ head: 510, finalizedBlock: 90, nodes: [] })
  const asked = { headers: 0, ranges: [] as [number, number][] }
  const counting: typeof node = {
    ...node,
    async logs(range, ...rest) {
      asked.headers += range.headers.length
      asked.ranges.push([range.from, range.to])
      if (range.to - range.from >= mostBlocks) throw new RangeRefusedError(undefined)
      return node.logs(range, ...rest)
    },
  }
  const tie = (names: readonly number[], to = 510) => {
    const metas = names.map((number) => ({
      block: { number, hash: hashAt(number) },
      hasIndexingErrors: false,
      deployment: 'Qm',
    }))
    const base = { ancestor: blockAt(100), at: blockAt(510) }
    return tieToChain(counting, base, { to, events: [], metas }, chain, signal)
  }
  return { asked, tie }
}

it.each([511, 1_200, 4_000_000_000])(
  'asks for no header above the nodes’ newest, though a page names block %i',
  async (number) => {
    const { asked, tie } = countingNode()
    expect((await tie([510, number], 150)).to).toEqual(blockAt(150))
    expect(asked.headers).toBeLessThan(60)
  },
)

it('compares every row that is not final while the subgraph is ahead, so that no step is longer than that', async () => {
  const { asked, tie } = countingNode()
  expect((await tie([510])).to).toEqual(blockAt(510))
  expect((await tie([512])).to).toEqual(blockAt(200))
  expect(asked.ranges).toEqual([
    [411, 510],
    [101, 200],
  ])
})

it('makes a shorter step while the subgraph is ahead of nodes that refuse ranges', async () => {
  const { asked, tie } = countingNode(10)
  expect((await tie([512])).to).toEqual(blockAt(107))
  expect(asked.ranges.at(-1)).toEqual([101, 107])
})
