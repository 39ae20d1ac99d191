import { bloomOf } from '@remit/protocol/logs/wantedLogs'
import {
  blockAt,
  type FakeNode,
  fakeNodes,
  hashAt,
  logAt,
  tipAt,
} from '@remit/testing/support/history/fakeNodes'
import { type Hex, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../../errors/chain.ts'
import type { ChainNodes } from '../../ports/nodes.ts'
import type { IndexTip } from '../../ports/source.ts'
import { createRpcSource } from './createRpcSource.ts'
import { settleDispute } from './settleDispute.ts'

const quiet = { info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

/** The next step of an index at block 100, far below the final blocks. */
async function nextFinal(...nodes: FakeNode[]) {
  const node = fakeNodes({ head: 1_000, finalizedBlock: 900, nodes })
  return (await nextOf(node, tipAt(100, 90))).step
}

async function nextOf(nodes: ChainNodes, tip: IndexTip) {
  const next = await createRpcSource({ nodes, firstBlock: 1, log: quiet }).next(tip, signal)
  if (next.kind === 'idle') throw new Error('there is something to read')
  return next
}

describe('of two nodes that are compared', () => {
  it('one that places a log in another block is found, though all else of the log is right', async () => {
    const truth = logAt(300)
    const moved = { ...truth, blockNumber: 301 }
    const { events } = await nextFinal({ logs: [moved], receipts: [truth] }, { logs: [truth] })
    expect(events.map(({ blockNumber }) => blockNumber)).toEqual([300])
  })

  it.each<[string, FakeNode['header']]>([
    ['time', { timestamp: 9_999_999_999 }],
    ['parent', { parentHash: hashAt(7) }],
  ])('neither is used if they give the last block one hash, and not the same %s', async (_, header = {}) => {
    await expect(nextFinal({ header }, {})).rejects.toThrow(/different headers of block 900/)
    await expect(nextFinal({}, { header })).rejects.toThrow(/different headers of block 900/)
  })

  it('the one that calls fewer blocks final decides which are', async () => {
    expect(await nextFinal({ finalizedBlock: 990 }, {})).toMatchObject({ finalizedBlock: 900 })
    expect(await nextFinal({}, { finalizedBlock: 880 })).toMatchObject({ finalizedBlock: 880 })
  })

  it.each([1, 4, 5, 9])(
    'one that hides the logs of %i full blocks near the head is found',
    async (hidden) => {
      const logs = Array.from({ length: 20 }, (_, block) => logAt(101 + block))
      const full = { bloom: `0x${'ff'.repeat(256)}`, receipts: logs } as const
      const nodes = [
        { ...full, logs: logs.slice(hidden) },
        { ...full, logs },
      ]
      const node = fakeNodes({ head: 120, finalizedBlock: 90, nodes })
      const { step } = await nextOf(node, tipAt(100, 90))
      expect(step.events.length).toBeGreaterThan(0)
      expect(step.events.length).toBe(step.to.number - 100)
    },
  )
})

it('a second node that does not answer is waited for in each outage, and each is told once', async () => {
  const nodes: FakeNode[] = [{}, { fails: ['logs'] }]
  const chain = { head: 5_000, finalizedBlock: 4_900, nodes }
  const told: string[] = []
  const tell = (line: string) => void told.push(line)
  const log = { info: tell, warn: tell, error: tell }
  let now = 0
  const source = createRpcSource({ nodes: fakeNodes(chain), firstBlock: 1, log, now: () => now })
  const next = (at: number) => source.next(tipAt(at, 90), signal)

  await expect(next(100)).rejects.toThrow(UpstreamError)
  now += 31_000
  for (const at of [100, 300, 500]) {
    expect(await next(at)).toMatchObject({ kind: 'step' })
    now += 60_000
  }
  expect(told).toEqual([expect.stringMatching(/one node alone/)])
  // Back for a day near the head, where no final range is read.
  nodes[1] = {}
  for (let hour = 0; hour < 24; hour += 1) {
    expect(await next(4_990)).toMatchObject({ kind: 'step' })
    now += 3_600_000
  }
  nodes[1] = { fails: ['logs'] }
  await expect(next(100)).rejects.toThrow(UpstreamError)
  now += 31_000
  await next(100)
  expect(told.length).toBe(2)
})

describe('final blocks that one node has lost', () => {
  const lost: FakeNode = { forkFrom: 81 }
  /** The next step of an index at block 100 whose final blocks end at 90. */
  const beside = (other: FakeNode) =>
    nextOf(fakeNodes({ head: 101, finalizedBlock: 90, nodes: [lost, other] }), tipAt(100, 90))

  it.each<[string, FakeNode]>([
    ['has all blocks', {}],
    ['lags behind the tip', { has: 99 }],
    ['has another block in the tip’s place', { forkFrom: 100 }],
    ['lags behind the final blocks', { has: 70 }],
    ['does not answer', { fails: ['headers'] }],
  ])('are kept while the other one %s', async (_, other) => {
    await expect(beside(other)).rejects.toThrow(/disagree about its final blocks/)
  })

  it('are given up where the other one has lost them too', async () => {
    for (const other of [{ forkFrom: 81 }, { forkFrom: 85, has: 99 }]) {
      const { step, progress } = await beside(other)
      expect(step.ancestor).toEqual(blockAt(80))
      expect(progress.alarm).toMatch(/was reorganised from block 81 on/)
    }
  })

  it('are given up where both nodes’ chains were rolled back below them', async () => {
    let now = 0
    const nodes = fakeNodes({ head: 60, finalizedBlock: 50, nodes: [{}, {}] })
    const source = createRpcSource({ nodes, firstBlock: 1, log: quiet, now: () => now })
    for (let sighting = 0; sighting < 3; sighting += 1) {
      await source.next(tipAt(100, 90), signal)
      now += 1_000
    }
    expect(await source.next(tipAt(100, 90), signal)).toMatchObject({
      kind: 'step',
      step: { to: blockAt(60) },
    })
  })
})

const truth = logAt(50)
const lie = logAt(50, false)

/** Settles what two nodes say of block 50, whose bloom has few bits set. */
function settle(bloom: Hex, first: FakeNode, second: FakeNode) {
  const nodes = [first, second].map((node) => ({ ...node, bloom }))
  const chain = fakeNodes({ head: 120, finalizedBlock: 90, nodes })
  const [one, other] = nodes.map(({ logs = [] }, node) => ({ node, logs }))
  if (one === undefined || other === undefined) throw new Error('there are two')
  return settleDispute(chain, one, other, signal)
}

const telling = toHex(bloomOf([truth]))

describe('a dispute', () => {
  const silent: FakeNode = { logs: [truth], fails: ['receiptLogs'] }

  it('is not decided by the receipts of one node while the other one gives none', async () => {
    const settling = settle(telling, { logs: [lie] }, silent)
    await expect(settling).rejects.toThrow(/its receipts do not decide/)
  })

  it('is decided without the receipts of a node whose log the block cannot have', async () => {
    const without = toHex(bloomOf([{ ...truth, topics: [] }]))
    const settled = await settle(without, { logs: [], receipts: [] }, silent)
    expect(settled).toEqual({ logs: [], faultyNodes: [1] })
  })

  it('is decided by the receipts of one where those of the other do not match the bloom', async () => {
    const wrong: FakeNode = { logs: [lie], receipts: [], fitBloom: false }
    expect(await settle(telling, wrong, { logs: [truth] })).toEqual({ logs: [truth], faultyNodes: [0] })
  })

  it('is not decided where both match', async () => {
    const settling = settle(telling, { logs: [lie] }, { logs: [truth] })
    await expect(settling).rejects.toThrow(/its receipts do not decide/)
  })
})
