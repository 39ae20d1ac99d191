import { beforeEach, describe, expect, test } from 'vitest'
import { callOf, mineBlock } from '../../devnet/block.ts'
import { createRpcSource } from '../../src/history/sources/rpc/createRpcSource.ts'
import { createSubgraphSource } from '../../src/history/sources/subgraph/createSubgraphSource.ts'
import { useTestChain } from '../support/chain.ts'
import { useCountingProxy } from '../support/countingProxy.ts'
import { protocolOn } from '../support/protocol.ts'
import { beginFilling, type Filling } from './Filling.ts'
import { type GraphFaults, useGraphNode } from './graphNode/useGraphNode.ts'
import { reorganise } from './reorganise.ts'
import { tellStory } from './story.ts'

const chain = await useTestChain()
await tellStory(chain)
await chain.client.mine({ blocks: 5 })
await chain.keep()
const graph = await useGraphNode(chain)
const proxy = await useCountingProxy(chain.url)
const { client, wallets, firstBlock } = chain
const protocol = protocolOn(chain)

const KEY = 'a-key-that-nobody-may-see'

const begin = (options: { url?: string; pageSize?: number; pollMs?: number; rpcUrl?: string } = {}) => {
  const { url = graph.url, pageSize = 1_000, pollMs = 0, ...rest } = options
  return beginFilling(
    chain,
    (node, log) =>
      createSubgraphSource({ url, apiKey: KEY, node, firstBlock, log, pageSize, pollMs, timeoutMs: 2_000 }),
    rest,
  )
}

const builtAnew = async () => {
  const filling = await beginFilling(chain, (node, log) => createRpcSource({ node, firstBlock, log }))
  await filling.fill()
  return filling.rows()
}

const mineProfile = (company: string) => {
  const details = { description: '', company, url: '', domain: '', email: '', misc: '' }
  return mineBlock(client, [callOf(wallets.provider, protocol, 'editProvDetails', [details])])
}

let filling: Filling
beforeEach(async () => {
  filling = await begin()
})

/** Nothing of a wrong answer is written, and the right ones after it make the right store. */
async function expectRefused(faults: GraphFaults, sentence: RegExp): Promise<void> {
  const before = await filling.rows()
  graph.fail(faults)
  await expect(filling.step()).rejects.toThrow(sentence)
  expect(await filling.rows()).toEqual(before)
  graph.fail({})
  await filling.fill()
  expect(await filling.rows()).toEqual(await builtAnew())
}

describe('where the subgraph stands', () => {
  test('refuses one of another chain', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const block = { number: 3, hash }
    await expectRefused({ block }, /has another block 3 than the chain, where that is final/)
  })

  test('waits for one that is on another branch', async () => {
    await mineProfile('lost')
    await graph.stay()
    await reorganise(chain, 1)
    await expect(filling.step()).rejects.toThrow('one of the two has yet to follow a reorganisation')
    graph.follow()
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  })

  test('takes the lost rows away before the subgraph has read the new branch', async () => {
    await mineProfile('lost')
    await filling.fill()
    await reorganise(chain, 1)
    await graph.stay((await filling.standpoint()).block.number - 2)
    await filling.step()
    expect(JSON.stringify(await filling.rows())).not.toContain('"lost"')
    graph.follow()
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  })

  test('goes with one that lags, and on with it', async () => {
    await graph.stay(9)
    expect((await filling.step()).kind).toBe('step')
    expect((await filling.step()).kind).toBe('idle')
    expect((await filling.standpoint()).block.number).toBe(9)
    graph.follow()
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  })

  test('rings while one is far behind the chain', async () => {
    await filling.fill()
    await graph.stay()
    await client.mine({ blocks: 101, interval: 10 })
    await expect
      .poll(async () => (await filling.step()).progress.alarm)
      .toMatch(/is 101 blocks behind the chain/)
    graph.follow()
    await filling.fill()
    expect((await filling.step()).progress.alarm).toBeNull()
  })

  test('keeps the rows and rings when one begins anew', async () => {
    await filling.fill()
    const rows = await filling.rows()
    graph.fail({ deployment: 'QmAnother' })
    await graph.stay(2)
    expect(await filling.step()).toMatchObject({
      kind: 'idle',
      progress: { alarm: expect.stringMatching(/went back to block 2, .* deployed anew/) },
    })
    expect(await filling.rows()).toEqual(rows)
    expect(filling.told.join()).toMatch(/the subgraph was deployed anew .*QmAnother/)

    graph.follow()
    await mineProfile('after')
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
    expect((await filling.step()).progress.alarm).toBeNull()
  })

  test('refuses one that has failed on a block', async () => {
    await expectRefused({ hasIndexingErrors: true }, /reports indexing errors/)
  })

  test('asks for nothing between two polls', async () => {
    filling = await begin({ pollMs: 60_000 })
    await filling.fill()
    await filling.step()
    graph.reset()
    for (let times = 0; times < 5; times++) expect((await filling.step()).kind).toBe('idle')
    expect(graph.asked).toEqual([])
  })
})

describe('what changes while it is read', () => {
  test('refuses pages of two deployments', async () => {
    const before = async (query: string) => {
      if (query === 'Page') graph.fail({ deployment: 'QmAnother' })
    }
    graph.fail({ before })
    await expect(filling.step()).rejects.toThrow('deployed anew while it was read')
  })

  test('refuses pages of two branches', async () => {
    filling = await begin({ pageSize: 2 })
    await filling.fill()
    const { provider } = wallets
    const subscription = await protocol.create()
    const edit = (description: string) =>
      callOf(provider, protocol, 'editDetails', [{ url: '', description }, subscription.id])
    await filling.fill()
    const calls = ['one', 'two', 'three', 'four', 'five'].map(edit)
    await mineBlock(client, calls)
    let isFirst = true
    graph.fail({
      async before(query) {
        // After two of three pages of the block, another block is in its place.
        if (query !== 'Crowd' || !isFirst) return
        isFirst = false
        const others = calls.toReversed().map((call) => ({ call, block: 0 }))
        await reorganise(chain, 1, others)
      },
    })
    // What stands after any outcome is of one branch.
    await filling.step().catch(() => {})
    await filling.fill()
    expect(isFirst).toBe(false)
    expect(await filling.rows()).toEqual(await builtAnew())
  })

  test('tries again where the subgraph has lost the block that it stood at', async () => {
    const before = async (query: string) => {
      if (query === 'Page') await graph.stay(5)
    }
    graph.fail({ before })
    await expect(filling.step()).rejects.toThrow('has lost the block it just stood at')
    graph.fail({})
    graph.follow()
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  })
})

describe('rows that are wrong', () => {
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
  ])('refuses %s', (_, faults, sentence) => expectRefused(faults, sentence))

  test('refuses rows that leave out an event near the head', async () => {
    await filling.fill()
    await mineProfile('left out')
    await expect
      .poll(async () => {
        graph.fail({ rows: (rows, list) => (list === 'provDetailsLogs' ? [] : rows) })
        return filling.step().catch(String)
      })
      .toMatch(/SourceError: .* differs from the chain's own logs/)
    graph.fail({})
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  })

  test('refuses rows that leave out an event of the last final block that has any', async () => {
    filling = await begin({ pageSize: 3 })
    await expectRefused({ rows: (rows, list) => (list === 'subLogs' ? rows.slice(1) : rows) }, /differs from/)
  })

  test('believes rows that a node leaves out of a range, where the receipts of the block have them', async () => {
    filling = await begin({ rpcUrl: proxy.url })
    proxy.fail({ answer: ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined) })
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
    expect(proxy.methods).toContain('eth_getBlockReceipts')
  })
})

test('reads fewer rows at a time where the texts of many are too long for one answer', async () => {
  const tooLong = ' '.repeat(17 * 1024 * 1024)
  graph.fail({ instead: ({ first }) => (Number(first) > 20 ? tooLong : undefined) })
  await filling.fill()
  expect(await filling.rows()).toEqual(await builtAnew())
})

test('sends the key as a bearer, and never tells it nor the URL', async () => {
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
