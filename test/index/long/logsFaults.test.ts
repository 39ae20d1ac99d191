import { toEvents } from '@remit/engine/testing/indexing/logs/decodeLogs'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { fillFromLogs, type LogFilling } from '../../support/history/fillFromLogs.ts'
import { type NodeFault, useFaultyNode } from '../../support/nodes/faultyNode.ts'
import { LIES, lyingLogs, RANGE_WORDS, type RawLog, refusingRanges } from '../../support/nodes/nodeFaults.ts'

const chain = await useTestChain()
const node = await useFaultyNode(chain.url)
const life = await beginBusyLife(chain, randomOf(5))
for (let block = 0; block < 50; block += 1) {
  await life.mine(4)
  if (block % 15 === 0) await life.nextDay()
}
await chain.keep()

const { send } = protocolOn(chain)
const profile = { description: '', company: 'A company', url: '', domain: '', email: '', misc: '' }

/** Mines a block that holds a log of the history for sure. */
const mineLog = () => send(chain.wallets.provider, 'editProvDetails', [profile])

const scratch = new Map<string, Promise<Awaited<ReturnType<LogFilling['rows']>>>>()

/** The rows that the chain gives without a fault; read once for each head. */
async function rowsFromScratch() {
  const { hash } = await chain.client.getBlock()
  const read = async () => {
    const filling = await fillFromLogs(chain, [chain.url])
    await filling.fill()
    return filling.rows()
  }
  const rows = scratch.get(hash) ?? read()
  scratch.set(hash, rows)
  return rows
}

/** Lets the source see the newest block before its node fails. */
async function seeHead(filling: LogFilling) {
  await filling.seeHead()
  filling.head.stop()
}

/** Tries so many times to go on, and says how each try failed. Waits where the source does. */
async function tryFor(filling: LogFilling, tries: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const outcome = await filling.step().then(
      ({ kind }) => kind,
      (error: Error) => error.name,
    )
    outcomes.push(outcome)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  return outcomes
}

describe('a node that gives', () => {
  it.each(Object.entries(LIES))('%s at the head is not accepted, and no log is lost', async (_, lie) => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    const before = await filling.tip()
    node.fail(lyingLogs(lie))
    await mineLog()
    await mineLog()
    await seeHead(filling)
    const outcomes = await tryFor(filling, 2)
    expect(outcomes.join()).toMatch(/^(SourceError|UpstreamError),(SourceError|UpstreamError)$/)
    expect((await filling.tip()).block).toEqual(before.block)
    node.fail(undefined)
    filling.head.start()
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it.each(Object.entries(LIES).filter(([name]) => name !== 'a log of another block hash'))(
    '%s among final blocks is not accepted',
    async (_, lie) => {
      node.fail(lyingLogs(lie))
      const filling = await fillFromLogs(chain, [node.url])
      expect(await tryFor(filling, 1)).toEqual([expect.stringMatching(/^(SourceError|UpstreamError)$/)])
      node.fail(undefined)
      await filling.fill()
      expect(await filling.rows()).toEqual(await rowsFromScratch())
    },
  )

  it('no logs of a block at the head is asked for its receipts, and not accepted', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    node.fail(lyingLogs(() => []))
    await mineLog()
    await seeHead(filling)
    expect(await tryFor(filling, 2)).toEqual(['SourceError', 'SourceError'])
    expect(node.requests.flat()).toContain('eth_getBlockReceipts')
    node.fail(undefined)
    filling.head.start()
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('logs that a block’s bloom excludes is not accepted', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    await mineLog()
    await seeHead(filling)
    node.fail(
      lyingLogs((all) =>
        all.map((log) => ({
          ...log,
          topics: [log.topics[0], ...log.topics.slice(1).map((topic) => `0x${topic.slice(4)}77`)],
        })),
      ),
    )
    expect(await tryFor(filling, 1)).toEqual(['SourceError'])
  })

  it('all logs of the contract, whatever was asked for, is read correctly', async () => {
    node.fail({ alter: ({ method }, result) => (method === 'eth_getLogs' ? allLogs : result) })
    const allLogs = await chain.client.request<{
      Method: 'eth_getLogs'
      Parameters: unknown[]
      ReturnType: RawLog[]
    }>({
      method: 'eth_getLogs',
      params: [{ address: chain.contract, fromBlock: '0x1', toBlock: '0x20' }],
    })
    const filling = await fillFromLogs(chain, [node.url])
    const topics = new Set(allLogs.map((log) => log.topics[0]))
    expect(topics.size).toBeGreaterThan(3)
    const range = { from: 1, to: 32, headers: [0, 32] }
    const { logs } = await filling.nodes.logs(range, new AbortController().signal)
    expect(new Set(toEvents(logs).map(({ event }) => event.type))).toEqual(
      new Set(['SubLog', 'DetailsLog', 'ProvDetailsLog', 'CallerLog']),
    )
  })
})

describe('a node that', () => {
  const outages: readonly [string, NodeFault, string][] = [
    ['says that there are too many requests', { status: 429 }, 'UpstreamError'],
    [
      'says so in JSON-RPC',
      { refuse: () => ({ error: { code: -32005, message: 'rate limit exceeded' } }) },
      'UpstreamError',
    ],
    ['breaks', { status: 502 }, 'UpstreamError'],
    ['drops the line', { line: 'drops' }, 'UpstreamError'],
    ['hangs', { line: 'hangs' }, 'UpstreamTimeoutError'],
    ['hangs in the middle of an answer', { line: 'hangs in the body' }, 'UpstreamTimeoutError'],
    ['leaves an answer of a batch out', { leaveOut: 0 }, 'UpstreamError'],
    [
      'is on another chain',
      { refuse: ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : { result: null }) },
      'UpstreamError',
    ],
  ]
  it.each(outages)('%s is tried again, and logged once', async (_, fault, expected) => {
    // Short where it is the timeout that ends it; else a busy machine would be taken for a slow node.
    const timeoutMs = expected === 'UpstreamTimeoutError' ? 200 : 10_000
    const filling = await fillFromLogs(chain, [node.url], { timeoutMs })
    await filling.fill()
    await mineLog()
    await seeHead(filling)
    node.fail(fault)
    const outcomes = await tryFor(filling, 4)
    expect(outcomes).toEqual([expected, expected, expected, expected])
    node.fail(undefined)
    filling.head.start()
    await filling.fill()
    expect(filling.told.filter((line) => !/answers again/.test(line)).length).toBeLessThanOrEqual(1)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it.each(RANGE_WORDS)('refuses a range as $provider does is asked for less', async ({ most, refusal }) => {
    node.fail(refusingRanges(most, refusal))
    const filling = await fillFromLogs(chain, [node.url])
    expect(await filling.fill()).toEqual([])
    expect(filling.told).toEqual([])
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('refuses even one block is an error', async () => {
    node.fail(refusingRanges(0, () => ({ code: -32000, message: 'query returned more than 10000 results' })))
    const filling = await fillFromLogs(chain, [node.url])
    await expect(filling.step()).rejects.toThrow(/could not be read/)
    expect(filling.steps).toEqual([])
  })
})

it('a new block is noticed at once and read in one HTTP request', async () => {
  const filling = await fillFromLogs(chain, [node.url])
  await filling.fill()
  const news = new Promise<void>((resolve) => {
    filling.source.onNews(resolve)
  })
  filling.head.stop()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await mineLog()
  await mineLog()
  filling.head.start()
  await news
  filling.head.stop()
  node.reset()
  const next = await filling.source.next(await filling.tip(), new AbortController().signal)
  expect(next.kind).toBe('step')
  expect(node.requests.filter((methods) => methods.includes('eth_getLogs')).length).toBe(1)
  expect(node.requests.length).toBeLessThanOrEqual(2)
})
