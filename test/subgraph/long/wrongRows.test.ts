import { type Hex, numberToHex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { LogFilling } from '../../support/history/fillFromLogs.ts'
import { useCountingProxy } from '../../support/nodes/countingProxy.ts'
import type { EntityValues } from '../graphNode/indexLogs.ts'
import type { GraphFaults } from '../graphNode/useGraphNode.ts'
import { reorganise } from '../reorganise.ts'
import { KEY, useSubgraphGround } from '../subgraphGround.ts'

const { chain, graph, begin, mineProfile, expectRight, expectReadFromLogs } = await useSubgraphGround()
const { client } = chain
const proxy = await useCountingProxy(chain.url)

let filling: LogFilling
beforeEach(async () => {
  filling = await begin()
})

describe('in place of rows that are wrong the logs are read, and it is told', () => {
  const changed = (change: (row: Record<string, unknown>) => unknown): GraphFaults => ({
    rows: (rows) =>
      rows.map((row, index) => ({ ...row, ...(index === 0 ? Object(change({ ...row })) : {}) })),
  })

  test.each<[string, GraphFaults, RegExp]>([
    [
      'an id that does not begin with the hash of its transaction',
      changed(({ id }) => ({ id: `0xff${String(id).slice(4)}` })),
      /at subLogs\.0\.id/,
    ],
    [
      'an id without a log index',
      changed(({ transactionHash }) => ({ id: transactionHash })),
      /subLogs\.0\.id/,
    ],
    ['an amount that is none', changed(() => ({ amount: '-1' })), /at subLogs\.0\.amount/],
    ['an event that the contract does not have', changed(() => ({ subScriptEvent: 10 })), /subScriptEvent/],
    ['rows in another order', { rows: (rows) => rows.toReversed() }, /in another order/],
    ['rows of other blocks', changed(() => ({ blockNumber: '0' })), /rows of other blocks/],
    ['a row twice', { rows: (rows) => rows.flatMap((row) => [row, row]) }, /two rows for one log/],
    [
      'another amount than was logged',
      { rows: (rows) => rows.map((row) => ({ ...row, ...('amount' in row && { amount: '1' }) })) },
      /differs from the chain's own logs at block \d+/,
    ],
    [
      'another place in the block',
      { rows: (rows) => rows.map((row) => ({ ...row, id: `${String(row.id).slice(0, -8)}63000000` })) },
      /two rows for one log|differs from the chain's own logs/,
    ],
  ])('%s', (_, faults, sentence) => expectReadFromLogs(filling, faults, sentence))

  test('an event near the head that is left out', async () => {
    await filling.fill()
    await mineProfile('left out')
    const leftOut: GraphFaults = { rows: (rows, list) => (list === 'provDetailsLogs' ? [] : rows) }
    await expectReadFromLogs(filling, leftOut, /differs from the chain's own logs/)
    expect(JSON.stringify(await filling.rows())).toContain('left out')
  })

  test('an event of the last final block that has any', async () => {
    filling = await begin({ pageSize: 3 })
    const leftOut: GraphFaults = { rows: (rows, list) => (list === 'subLogs' ? rows.slice(1) : rows) }
    await expectReadFromLogs(filling, leftOut, /differs from/)
  })

  test('one row that its server will not give at any size', async () => {
    const largest = { bytes: 700, by: 'graph-node' } as const
    await expectReadFromLogs(filling, { largest }, /cannot give a row at a time/)
  })

  test('one row, and the rows after it are the subgraph’s again', async () => {
    await filling.fill()
    await mineProfile('wrong')
    const wrong = (row: EntityValues) => (row.company === 'wrong' ? { ...row, company: 'false' } : row)
    const faults: GraphFaults = { rows: (rows) => rows.map(wrong) }
    await expectReadFromLogs(filling, faults, /differs from the chain's own logs/)
    graph.reset()
    await mineProfile('right')
    await expectRight(filling)
    expect(graph.asked).toContain('Events')
    expect(filling.told.filter((line) => line.includes('rows cannot be used'))).toHaveLength(1)
  })
})

describe('nodes that are wrong', () => {
  test('believes rows that a node leaves out of a range, if the block’s receipts hold them', async () => {
    filling = await begin({ rpcUrls: [proxy.url] })
    proxy.fail({ answer: ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined) })
    await filling.fill()
    expect(proxy.methods).toContain('eth_getBlockReceipts')
    // The approvals come from the node alone, and it must tell them.
    proxy.fail({})
    await expectRight(filling)
  })

  test('compares single blocks if a node refuses ranges', async () => {
    filling = await begin({ rpcUrls: [proxy.url] })
    proxy.fail({
      answer({ method, params }) {
        const [filter] = z
          .array(z.object({ fromBlock: z.string(), toBlock: z.string() }))
          .parse(method === 'eth_getLogs' ? params : [{ fromBlock: '', toBlock: '' }])
        if (filter?.fromBlock === filter?.toBlock) return undefined
        return { error: { code: -32005, message: 'block range is too large' } }
      },
    })
    graph.fail({ rows: (rows) => rows.map((row) => ({ ...row, ...('amount' in row && { amount: '1' }) })) })
    await expectRight(filling)
    expect(filling.told.join()).toContain("differs from the chain's own logs")
  })

  test('deletes no final rows while a node still has their block', async () => {
    filling = await begin({ rpcUrls: [chain.url, proxy.url] })
    await client.mine({ blocks: 8 })
    await filling.fill()
    const { block, finalizedBlock } = await filling.tip()
    const lost = block.number - finalizedBlock + 2
    const numbers = Array.from({ length: lost }, (_, behind) => numberToHex(block.number - behind))
    const read = (number: Hex) =>
      client.transport.request({ method: 'eth_getBlockByNumber', params: [number, false] })
    const old = new Map<string, unknown>(
      await Promise.all(numbers.map(async (number) => [number, await read(number)] as const)),
    )
    await reorganise(chain, lost)
    proxy.fail({
      answer({ method, params: [number] }) {
        const result = method === 'eth_getBlockByNumber' ? old.get(z.string().parse(number)) : undefined
        return result === undefined ? undefined : { result }
      },
    })
    // The subgraph follows a moment later.
    const refusal = () => filling.stepOn().then(String, ({ message }: Error) => message)
    await expect
      .poll(refusal, { timeout: 10_000 })
      .toMatch(/disagree about its final blocks: RPC 2 still has block/)
    expect((await filling.tip()).block).toEqual(block)

    proxy.fail({})
    await expectRight(filling)
  })
})

test.each<[string, GraphFaults]>([
  [
    'this service',
    { instead: ({ first }) => (Number(first) > 20 ? ' '.repeat(17 * 1024 * 1024) : undefined) },
  ],
  ['graph-node', { largest: { bytes: 3_000, by: 'graph-node' } }],
  ['a proxy before it', { largest: { bytes: 3_000, by: 'proxy' } }],
])('reads fewer rows at a time where an answer is too large for %s', async (_, faults) => {
  graph.fail(faults)
  await expectRight(filling)
  expect((await filling.step()).progress.alarm).toBeNull()
})

test('sends the key as a bearer, and never logs it or the URL', async () => {
  const url = `${graph.url}?key=${KEY}`
  const faults: GraphFaults[] = [
    { status: 500, body: `no answer from ${url}` },
    { status: 401 },
    { status: 429 },
    { redirect: `${url}&again` },
    { body: `<html>${url}</html>` },
    { body: '{"data":' },
    { body: '[]' },
    { body: JSON.stringify({ data: { [KEY]: url } }) },
    { errors: [`auth error: the key ${KEY} of ${url} is not valid`] },
    { errors: [KEY] },
    { hang: true },
    { hasIndexingErrors: true },
    { block: { number: 1, hash: `0x${'00'.repeat(32)}` } },
    { deployment: url.repeat(10) },
    { deployment: KEY, errors: [KEY] },
    { deployment: url, errors: [KEY] },
  ]
  filling = await begin({ url })
  const sentences: string[] = []
  for (const fault of faults) {
    graph.fail(fault)
    const error: unknown = await filling.step().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    if (error instanceof Error) sentences.push(`${error.stack} ${String(error.cause)}`)
    expect(graph.authorization).toBe(`Bearer ${KEY}`)
  }
  expect(sentences).toHaveLength(faults.length)
  const all = [...sentences, ...filling.told].join('\n')
  expect(all).not.toContain(KEY)
  expect(all).not.toContain(new URL(graph.url).host)
})
