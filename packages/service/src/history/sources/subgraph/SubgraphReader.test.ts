import { type NodeHeader, RangeRefusedError } from '@remit/engine/ports/nodes'
import { blockAt, fakeNodes, hashAt } from '@remit/testing/support/history/fakeNodes'
import { type Hex, keccak256, numberToHex } from 'viem'
import { expect, it, test } from 'vitest'
import * as z from 'zod'
import { ChainBlocks } from './ChainBlocks.ts'
import { SubgraphReader } from './SubgraphReader.ts'
import { verifiedStep } from './verifiedStep.ts'

const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
const _meta = {
  block: { number: 100, hash: word(100) },
  hasIndexingErrors: false,
  deployment: 'Qm',
}

it('gives a block up whose rows have no end', async () => {
  let rows = 0
  const row = () => {
    rows += 1
    const [transactionHash, caller] = [word(rows), `0x${'c1'.repeat(20)}`]
    const place = { id: `${transactionHash}00000000`, blockNumber: '50', transactionHash }
    return { ...place, timestamp: '1', checkedDay: '1', caller, isFinished: true }
  }
  const client: ConstructorParameters<typeof SubgraphReader>[0] = {
    indexingErrors: () => {
      throw new Error('it reports none')
    },
    async ask(query, { first }, data) {
      const page = Array.from({ length: z.number().parse(first) }, row)
      const others = { subLogs: [], detailsLogs: [], provDetailsLogs: [] }
      return data.parse({
        _meta,
        ...(query.startsWith('query Events') ? { ...others, callerLogs: page } : { rows: page }),
      })
    },
  }
  await expect(
    new SubgraphReader(client, 1).read(50, _meta.block, new AbortController().signal),
  ).rejects.toThrow(/more rows of one block than a block can hold/)
  expect(rows).toBeLessThan(60_000)
})

const hashOf = (number: number, branch = 0): Hex => keccak256(numberToHex(number + 1_000 * branch))
const header = (number: number, branch = 0): NodeHeader => ({
  number,
  hash: hashOf(number, branch),
  parentHash: hashOf(number - 1, branch),
  timestamp: number,
  logsBloom: '0x',
})

test('takes linked blocks and single ones, in any order', () => {
  const blocks = new ChainBlocks(1, [9, 3, 5, 4], [header(9), header(3), header(5), header(4)])
  expect(blocks.has({ number: 4, hash: hashOf(4) })).toBe(true)
  expect(blocks.has({ number: 4, hash: hashOf(4, 1) })).toBe(false)
  expect(blocks.between(3, 8).map(({ number }) => number)).toEqual([3, 4, 5])
})

test('refuses neighbours of two branches', () => {
  const make = () => new ChainBlocks(1, [3, 4], [header(3), header(4, 1)])
  expect(make).toThrow('Chain 1 was reorganised at block 4 just now.')
})

test('refuses a missing block', () => {
  expect(() => new ChainBlocks(1, [3, 4], [header(3), undefined])).toThrow(
    'The nodes of chain 1 lack block 4.',
  )
})

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
    const base = { ancestor: blockAt(100), readBlock: blockAt(510) }
    return verifiedStep(counting, base, { to, events: [], metas }, chain, signal)
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
