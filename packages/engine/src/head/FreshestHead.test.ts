import { keccak256, numberToHex, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors/chain.ts'
import { EndpointFailedError } from '../rpc/endpoint.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockHeader, Head } from './blockHeader.ts'
import { FreshestHead } from './FreshestHead.ts'

const NOW = 1_800_000_000
const TIP = 1_000

/** A block every second, so that the one at TIP is of now. Branches share what is below `from`. */
function block(number: number, branch = '', from = 0): BlockHeader {
  const nameOf = (at: number) => keccak256(toHex(`${at}${at >= from ? branch : ''}`))
  return {
    number,
    hash: nameOf(number),
    parentHash: nameOf(number - 1),
    timestamp: NOW - TIP + number,
  }
}

/** What one node has: the blocks up to its newest, of one branch. `alter` makes its headers false. */
interface FakeNode {
  at?: number
  branch?: string
  from?: number
  alter?: (header: BlockHeader) => BlockHeader
}

function over(
  nodes: FakeNode[],
  options: { isDevChain?: boolean; isStill?: boolean; rollbackAfterMs?: number } = {},
) {
  const asked: string[] = []
  let passedOver: readonly number[] = []
  const rpc: Rpc = {
    chainId: 1,
    count: nodes.length,
    working: () => nodes.map((_, node) => node),
    putLast(behind) {
      passedOver = behind
    },
    limits: () => {
      throw new Error('no limits are asked for')
    },
    foreignChainId: () => undefined,
    request: () => Promise.reject(new Error('every node is asked by itself')),
    withNode: (use, { node = 0 } = {}) => {
      const { at, branch, from, alter = (header: BlockHeader) => header } = nodes[node] ?? {}
      return use(
        {
          chainId: 1,
          async request(_method, [tag], result) {
            if (at === undefined) throw new EndpointFailedError('unreachable', 'down')
            asked.push(`${node}:${tag}`)
            const number = tag === 'latest' ? at : Number(tag)
            if (number > at) return result.parse(null)
            const header = alter(block(number, branch, from))
            return result.parse({
              ...header,
              number: numberToHex(header.number),
              timestamp: numberToHex(header.timestamp),
            })
          },
        },
        node,
      )
    },
  }
  const moves: { number: number; isReorg: boolean }[] = []
  const freshest = new FreshestHead({
    rpc,
    isDevChain: options.isDevChain ?? false,
    rollbackAfterMs: options.rollbackAfterMs ?? 0,
    wallNow: () => NOW * 1_000,
    isStill: () => options.isStill ?? false,
    onMoved: ({ number }: Head, isReorg) => moves.push({ number, isReorg }),
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const { signal } = new AbortController()
  return {
    freshest,
    moves,
    asked,
    passedOver: () => passedOver,
    /** The number of the head after each of so many questions. */
    async ask(times = 1) {
      for (let time = 0; time < times; time += 1) await freshest.ask(signal)
      return freshest.head?.number
    },
  }
}

describe('the head', () => {
  it('is the freshest block of any node, at the start and later, and a node that stands still is passed over', async () => {
    const nodes = [{ at: TIP - 300 }, { at: TIP - 100 }]
    const { ask, passedOver, moves } = over(nodes, { isStill: true })
    expect(await ask()).toBe(TIP - 100)
    nodes[1] = { at: TIP - 40 }
    expect(await ask()).toBe(TIP - 40)
    expect(passedOver()).toEqual([0])
    expect(moves.some(({ isReorg }) => isReorg)).toBe(false)
    nodes[0] = { at: TIP - 41 }
    await ask()
    expect(passedOver()).toEqual([])
  })

  it('moves over blocks that were not seen where their headers connect, of which few are fetched', async () => {
    const nodes = [{ at: TIP - 100 }]
    const { ask, asked } = over(nodes)
    await ask()
    nodes[0] = { at: TIP - 50 }
    asked.splice(0)
    expect(await ask()).toBe(TIP - 50)
    expect(asked.length).toBeLessThan(60)
  })

  it('is no block that is not shown to connect, however far ahead, and the others are not behind it', async () => {
    const alter = (header: BlockHeader) =>
      header.number > TIP - 20 ? { ...header, parentHash: keccak256('0x99') } : header
    for (const at of [TIP - 10, TIP + 100]) {
      const nodes = [{ at: TIP - 30 }, { at: TIP - 30, alter }]
      const { ask, passedOver } = over(nodes)
      await ask()
      nodes[0] = { at: TIP - 29 }
      nodes[1] = { at, alter }
      expect(await ask(5)).toBe(TIP - 29)
      expect(passedOver()).toEqual([1])
    }
  })

  it('is a far block where the known one stands still, and its node has the known one', async () => {
    const nodes = [{ at: TIP - 900 }, {}] as FakeNode[]
    const { ask, moves } = over(nodes, { isStill: true })
    await ask()
    nodes[1] = { at: TIP }
    expect(await ask()).toBe(TIP)
    expect(moves.at(-1)).toEqual({ number: TIP, isReorg: false })
    const moving = over([{ at: TIP - 900 }, { at: TIP }])
    expect(await moving.ask(3)).toBe(TIP - 900)
  })

  it('is no block whose time is far ahead of the wall’s, but for a development chain', async () => {
    const nodes = [{ at: TIP + 100 }]
    const { ask, freshest } = over(nodes)
    await ask()
    nodes[0] = { at: TIP + 130 }
    await expect(ask()).rejects.toBeInstanceOf(UpstreamError)
    expect(freshest.head?.number).toBe(TIP + 100)
    const development = over([{ at: TIP + 5_000 }], { isDevChain: true })
    expect(await development.ask()).toBe(TIP + 5_000)
  })

  it('is not waited for where one node is away', async () => {
    const { ask } = over([{}, { at: TIP }])
    expect(await ask()).toBe(TIP)
    await expect(over([{}, {}]).ask()).rejects.toBeInstanceOf(EndpointFailedError)
  })
})

describe('a reorg', () => {
  it('is a higher branch that is shown to leave a known block', async () => {
    const nodes = [{ at: TIP }, { at: TIP }] as FakeNode[]
    const { ask, moves, freshest, passedOver } = over(nodes)
    await ask()
    nodes[0] = { at: TIP - 9 }
    await ask()
    nodes[1] = { at: TIP + 1, branch: 'b', from: TIP }
    expect(await ask()).toBe(TIP + 1)
    expect(moves.at(-1)).toEqual({ number: TIP + 1, isReorg: true })
    expect(freshest.head?.hash).toBe(block(TIP + 1, 'b', TIP).hash)
    expect(passedOver()).toEqual([0])
  })

  it('goes sideways or back where no other node names the old branch', async () => {
    const nodes = [{ at: TIP }, { at: TIP }] as FakeNode[]
    const { ask, moves, freshest, passedOver } = over(nodes)
    await ask()
    nodes[0] = { at: TIP - 1, branch: 'b', from: TIP - 1 }
    expect(await ask(5)).toBe(TIP)
    expect(passedOver()).toEqual([0])
    expect(moves.length).toBe(1)
    nodes[1] = { at: TIP - 2 }
    expect(await ask(2)).toBe(TIP - 1)
    expect(freshest.head?.hash).toBe(block(TIP - 1, 'b', TIP - 1).hash)
    expect(moves.at(-1)).toEqual({ number: TIP - 1, isReorg: true })
  })

  it('is no lag, of one node or of all, as long as one has the old head', async () => {
    const nodes = [{ at: TIP }, { at: TIP }] as FakeNode[]
    const { ask, moves } = over(nodes)
    await ask()
    nodes[0] = { at: TIP - 5 }
    expect(await ask(9)).toBe(TIP)
    // Its newest block is an old one, as from a cache, and yet it has the head.
    nodes[1] = { at: TIP, alter: (header) => (header.number === TIP ? header : header) }
    expect(await ask(9)).toBe(TIP)
    expect(moves.length).toBe(1)
  })

  it('is a chain set back, once no node has the old head for long enough', async () => {
    const nodes = [{ at: TIP }, { at: TIP }] as FakeNode[]
    const { ask, moves } = over(nodes)
    await ask()
    nodes[0] = { at: TIP - 5 }
    nodes[1] = { at: TIP - 7 }
    expect(await ask(4)).toBe(TIP - 5)
    expect(moves.at(-1)).toEqual({ number: TIP - 5, isReorg: true })

    const slow = over([{ at: TIP }], { rollbackAfterMs: 60_000 })
    await slow.ask()
    expect(await slow.ask(9)).toBe(TIP)
  })
})

it('a block that is announced is the head if it follows it, and asked about otherwise', async () => {
  const { freshest, ask } = over([{ at: TIP - 9 }])
  await ask()
  expect(freshest.take(block(TIP - 8))).toBe(true)
  expect(freshest.take(block(TIP - 6))).toBe(false)
  expect(freshest.take(block(TIP - 7, 'b', TIP - 8))).toBe(false)
  expect(freshest.head?.number).toBe(TIP - 8)
})
