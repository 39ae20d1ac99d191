import { type NodeHeader, RangeRefusedError } from '@remit/engine/ports/nodes'
import { MAX_DETAILS_LENGTH } from '@remit/protocol/logs/events'
import { cleanText } from '@remit/protocol/text'
import { blockAt, fakeNodes, hashAt } from '@remit/testing/support/history/fakeNodes'
import fc from 'fast-check'
import { type Hex, hexToString, keccak256, numberToHex, stringToHex, zeroAddress } from 'viem'
import { expect, it, test } from 'vitest'
import * as z from 'zod'
import { ENTITIES, logIndexOf, SubgraphReader } from './SubgraphReader.ts'
import { ChainBlocks, verifiedStep } from './verifiedStep.ts'

const transactionHash: Hex = `0x${'a1'.repeat(32)}`
const provider = `0x${'d8'.repeat(20)}`
const id = (suffix: string): Hex => `${transactionHash}${suffix}`
const place = { id: id('05000000'), blockNumber: '32427200', transactionHash }
const subLog = {
  ...place,
  internal_id: `0x${'1d'.repeat(32)}`,
  provider,
  subscriber: zeroAddress,
  timestamp: '1772452800',
  amount: '10000000000000000000',
  token: provider,
  subScriptEvent: 0,
}
const texts = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
const profile = { ...place, provider, timestamp: '1772452800', ...texts }

test.each<[string, number | undefined]>([
  ['00000000', 0],
  ['05000000', 5],
  ['00010000', 256],
  ['78563412', 0x12345678],
  ['ffffff7f', 0x7fffffff],
  // Negative: no log has such an index.
  ['ffffffff', undefined],
  ['', undefined],
  ['0500', undefined],
  ['0500000000', undefined],
])(
  'reads the log index of an id that ends with %j, the least significant byte first: %j',
  (suffix, index) => {
    expect(logIndexOf(id(suffix), transactionHash)).toBe(index)
  },
)

test('finds no log index in an id that begins with another hash', () => {
  expect(logIndexOf(`0x${'a2'.repeat(32)}05000000`, transactionHash)).toBeUndefined()
})

test('reads a row as the log that it was made from', () => {
  expect(ENTITIES.subLogs.row.parse(subLog)).toMatchInlineSnapshot(`
    {
      "id": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a105000000",
      "placed": {
        "blockNumber": 32427200,
        "event": {
          "amount": 10000000000000000000n,
          "eventName": "Created",
          "id": "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
          "provider": "0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8",
          "subScriptEvent": 0,
          "subscriber": undefined,
          "timestamp": 1772452800,
          "token": "0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8",
          "type": "SubLog",
        },
        "logIndex": 5,
        "transactionHash": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
      },
    }
  `)
})

test('reads a zero subscriber as none, and any other as it is', () => {
  const subscriberOf = (subscriber: string) => {
    const { event } = ENTITIES.subLogs.row.parse({ ...subLog, subscriber }).placed
    return event.type === 'SubLog' ? event.subscriber : 'no SubLog'
  }
  expect(subscriberOf(zeroAddress)).toBeUndefined()
  expect(subscriberOf(provider)).toBe('0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8')
})

test('cleans texts like those of logs', () => {
  const misc = 'a\u202eb\u0007\nc'
  const { event } = ENTITIES.provDetailsLogs.row.parse({
    ...profile,
    // A decoder of UTF-8 leaves the mark of its order out.
    company: '\ufeffCo',
    description: 'x'.repeat(MAX_DETAILS_LENGTH + 1),
    misc,
  }).placed
  expect(event).toMatchObject({
    company: 'Co',
    description: `${'x'.repeat(MAX_DETAILS_LENGTH - 1)}…`,
    misc: 'ab c',
  })
})

test('cleans any text as that of its log, though graph-node has left every NUL out', () => {
  const ofEntity = (company: string) => {
    const { event } = ENTITIES.provDetailsLogs.row.parse({ ...profile, company }).placed
    return event.type === 'ProvDetailsLog' ? event.company : 'no ProvDetailsLog'
  }
  const expectSame = (text: string) => {
    const ofLog = cleanText(hexToString(stringToHex(text)), MAX_DETAILS_LENGTH)
    expect(ofEntity(text.replaceAll('\0', ''))).toBe(ofLog)
  }
  expectSame('a\t\0\tb')
  expectSame(`a${'\0'.repeat(2 * MAX_DETAILS_LENGTH)}b`)
  expectSame('\ufeff\0\ufeffa')
  expectSame(`\0\ufeff${'\u0001'.repeat(2 * MAX_DETAILS_LENGTH - 1)}b`)
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\ufeff', '\0', '\u200b', '\n', '\t', '\u2028', '\u0001'),
    fc.constantFrom('\0', '\u0001', 'x').map((unit) => unit.repeat(MAX_DETAILS_LENGTH - 2)),
  )
  fc.assert(fc.property(fc.array(part), (parts) => expectSame(parts.join(''))))
})

test.each([
  { id: '0x' },
  { id: transactionHash },
  { blockNumber: 32427200 },
  { blockNumber: '-1' },
  { blockNumber: '1e3' },
  { transactionHash: `0x${'a2'.repeat(32)}` },
  { internal_id: '0x1d' },
  { provider: '0x12' },
  { subscriber: null },
  { timestamp: '1099511627776' },
  { amount: 10 },
  { amount: '1.5' },
  { subScriptEvent: 10 },
  { subScriptEvent: '0' },
])('refuses a row with %j', (wrong) => {
  expect(ENTITIES.subLogs.row.safeParse({ ...subLog, ...wrong }).success).toBe(false)
})

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
