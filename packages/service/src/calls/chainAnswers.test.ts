import { BlockAnswers } from '@remit/engine/declare/chainAnswers'
import type { Answer } from '@remit/engine/declare/codec'
import { defineOperation } from '@remit/engine/declare/operation'
import { ViewFailedError } from '@remit/engine/errors/chain'
import type { ChainView } from '@remit/engine/ports/chains'
import type { BlockRef, HistoryPort } from '@remit/engine/ports/history'
import { smallChains, smallPipeline } from '@remit/testing/support/app/smallApp'
import { fakeHistory } from '@remit/testing/support/history/fakeHistory'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { UnauthorizedError } from '../errors/access.ts'
import type { Identity } from '../ports/access.ts'

const input = z.object({ id: z.string(), first: z.int().max(50).optional() })
const output = z.object({ seen: z.string() })
const read = { effect: 'read', kind: 'chain', access: 'read', rest: null, input, output } as const

const HASH = { a: `0x${'aa'.repeat(32)}`, b: `0x${'bb'.repeat(32)}` } as const

/** A world in which everything that an answer may depend on can be moved, and that counts how often it is looked at. */
function world(known = () => true) {
  const now = { blockNumber: 7, hash: HASH.a as `0x${string}`, today: 20_000, index: HASH.a as `0x${string}` }
  const made = { chain: 0, index: 0, failing: false }
  const indexAt: { finalizedBlock: number; lagSeconds: number } = { finalizedBlock: 1, lagSeconds: 0 }
  const atChain = defineOperation({
    name: 'at_chain',
    ...read,
    access: 'search',
    summary: 'What the chain says',
    async atBlock({ input: { id }, chain, lane }) {
      made.chain += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (made.failing) throw new Error('a node failed')
      return { seen: `${id} ${chain.chainId} ${chain.asOf.blockHash} ${chain.today} ${lane}` }
    },
  })
  const atIndex = defineOperation({
    name: 'at_index',
    ...read,
    summary: 'What the index says',
    query: async ({ history }) => (await history.tokens()).length,
    async atBlock({ rows }) {
      made.index += 1
      return { seen: `${rows} tokens` }
    },
  })
  const beyondNode = defineOperation({
    name: 'beyond_node',
    ...read,
    summary: 'What no node can list',
    async atBlock() {
      made.chain += 1
      throw new ViewFailedError('getSubscribersById', 'The view takes too much gas.')
    },
    fromIndex: {
      query: async ({ history }) => (await history.tokens()).length,
      async atBlock({ rows, chain }) {
        made.index += 1
        return { seen: `${rows} tokens of the index on day ${chain.today}` }
      },
    },
  })
  const live = defineOperation({
    name: 'live',
    ...read,
    kind: 'chain',
    summary: 'What is never kept',
    handle: async ({ requestId }) => ({ seen: requestId }),
  })
  const beyondNodeOwn = defineOperation({
    name: 'beyond_node_own',
    ...read,
    summary: 'What no node can list, and the index tells each caller otherwise',
    async atBlock() {
      throw new ViewFailedError('getSubscribersById', 'The view takes too much gas.')
    },
    fromIndex: {
      query: async ({ history }) => (await history.tokens()).length,
      handle: async ({ requestId }) => ({ seen: requestId }),
    },
  })
  const withView = async <T>(
    chainId: number,
    { block }: { block?: BlockRef },
    use: (view: ChainView) => Promise<T>,
  ) => {
    const { blockNumber, hash, today } = now
    const asOf = { blockNumber, blockHash: block?.hash ?? hash, timestamp: 1 }
    const view: Partial<ChainView> = { chainId, asOf, today }
    // Safe: the operations above read nothing else of a view.
    return use(view as ChainView)
  }
  const history = (): HistoryPort => {
    const block = { number: 7, hash: now.index, parentHash: HASH.b, timestamp: 1 }
    const { lagSeconds, finalizedBlock } = indexAt
    const known = {
      tokens: async () => Array.from({ length: finalizedBlock }, () => HASH.a.slice(0, 42) as never),
    }
    return fakeHistory(block, { known, position: { lagSeconds }, finalizedBlock })
  }
  const keys = new Map<string, Identity>([['key', { lane: 'developer', id: 'key', subject: 'ada' }]])
  const pipeline = smallPipeline({
    identities: {
      async identify({ header }) {
        const key = header('x-api-key')
        if (key === undefined) return { lane: 'free', id: 'somebody' }
        const identity = keys.get(key)
        if (identity === undefined) throw UnauthorizedError.key()
        return identity
      },
    },
    chains: {
      ...smallChains(),
      withView,
      seen: () => (known() ? { blockHash: now.hash, today: now.today } : undefined),
    },
    history: {
      health: () => null,
      indexedAt: (...asked) => history().indexedAt(...asked),
      snapshot: (...asked) => history().snapshot(...asked),
    },
  })
  const ask = async (
    operation = atChain,
    {
      id = 'a',
      key,
      chainId = 31337,
      first,
    }: { id?: string; key?: string; chainId?: number; first?: number } = {},
  ) => {
    const header = (name: string) => (name === 'x-api-key' ? key : undefined)
    const caller = await pipeline.identifyCaller('rest', { remoteAddress: undefined, method: 'GET', header })
    const raw = first === undefined ? { id } : { id, first }
    return (await pipeline.call(caller, operation, async () => ({ chainId, input: raw }))).body.seen
  }
  return { now, made, indexAt, keys, ask, atChain, atIndex, beyondNode, beyondNodeOwn, live }
}

describe('an answer of a block', () => {
  it.each([
    ['which is known', true],
    ['which has to be asked for', false],
  ])('is made once while the head stays, %s, however many ask at once', async (_, isKnown) => {
    const { ask, made } = world(() => isKnown)
    const seen = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(new Set(seen)).toEqual(new Set([`a 31337 ${HASH.a} 20000 free`]))
    expect(await ask()).toBe(seen[0])
    expect(made.chain).toBe(1)
  })

  it.each<[string, (now: ReturnType<typeof world>['now']) => void, string]>([
    [
      'a new block',
      (now) => Object.assign(now, { blockNumber: 8, hash: HASH.b }),
      `a 31337 ${HASH.b} 20000 free`,
    ],
    [
      'another block of the same height',
      (now) => Object.assign(now, { hash: HASH.b }),
      `a 31337 ${HASH.b} 20000 free`,
    ],
    [
      'midnight without a block',
      (now) => Object.assign(now, { today: 20_001 }),
      `a 31337 ${HASH.a} 20001 free`,
    ],
  ])('is never the one of before: %s', async (_, move, after) => {
    const { ask, now, made } = world()
    const before = { ...now }
    await ask()
    move(now)
    expect(await ask()).toBe(after)
    // Nor does what was seen once count again, where a reorg takes the chain back.
    Object.assign(now, before)
    await ask()
    expect(made.chain).toBe(3)
  })

  it('is never the one of another input, lane or chain', async () => {
    const { ask } = world()
    await ask()
    expect(await ask(undefined, { id: 'b' })).toBe(`b 31337 ${HASH.a} 20000 free`)
    expect(await ask(undefined, { key: 'key' })).toBe(`a 31337 ${HASH.a} 20000 developer`)
    expect(await ask(undefined, { chainId: 84532 })).toBe(`a 84532 ${HASH.a} 20000 free`)
    expect(await ask()).toBe(`a 31337 ${HASH.a} 20000 free`)
  })

  it('is kept from a key that was deleted, and from a lane that may not ask for it', async () => {
    const { ask, keys, made } = world()
    await ask(undefined, { key: 'key', first: 20 })
    await expect(ask(undefined, { first: 20 })).rejects.toThrow('at most 10 on the free lane')
    keys.clear()
    await expect(ask(undefined, { key: 'key', first: 20 })).rejects.toThrow(UnauthorizedError)
    expect(made.chain).toBe(1)
  })

  it('is not a failure: who asks next tries again', async () => {
    const { ask, made } = world()
    made.failing = true
    await expect(ask()).rejects.toThrow('a node failed')
    made.failing = false
    expect(await ask()).toBe(`a 31337 ${HASH.a} 20000 free`)
  })

  it('from the index is made again when the index or what it says of itself has moved', async () => {
    const { ask, atIndex, now, made, indexAt } = world()
    expect(await ask(atIndex)).toBe('1 tokens')
    expect(await ask(atIndex)).toBe('1 tokens')
    expect(made.index).toBe(1)
    indexAt.finalizedBlock = 2
    expect(await ask(atIndex)).toBe('2 tokens')
    indexAt.lagSeconds = 5
    await ask(atIndex)
    now.index = HASH.b
    await ask(atIndex)
    now.today += 1
    await ask(atIndex)
    expect(made.index).toBe(5)
  })

  it('from the index, where the contract’s view cannot be read, is made once too', async () => {
    const { ask, beyondNode, now, made, indexAt } = world()
    const seen = await Promise.all(Array.from({ length: 3 }, () => ask(beyondNode)))
    expect(new Set(seen)).toEqual(new Set(['1 tokens of the index on day 20000']))
    await ask(beyondNode)
    expect(made.index).toBe(1)
    indexAt.finalizedBlock = 2
    expect(await ask(beyondNode)).toBe('2 tokens of the index on day 20000')
    now.today += 1
    expect(await ask(beyondNode)).toBe('2 tokens of the index on day 20001')
    expect(made.index).toBe(3)
  })

  it('is only kept where the operation says so', async () => {
    const { ask, live, beyondNodeOwn } = world()
    for (const operation of [live, beyondNodeOwn]) {
      expect(await ask(operation)).not.toBe(await ask(operation))
    }
  })
})

it('answers of a block take no more than their bytes', async () => {
  const answers = new BlockAnswers(200_000)
  let made = 0
  const large = (): Promise<Answer> => {
    made += 1
    return Promise.resolve({
      body: {},
      result: {},
      json: () => 'x'.repeat(10_000),
      text: () => '',
      file: () => ({ names: [], render: () => '' }),
    })
  }
  for (let one = 0; one < 10; one += 1) await answers.get('chain', 'now', `question ${one}`, large)
  expect(made).toBe(10)
  // The newest are there, and the oldest had to go.
  await answers.get('chain', 'now', 'question 9', large)
  expect(made).toBe(10)
  await answers.get('chain', 'now', 'question 0', large)
  expect(made).toBe(11)
})
