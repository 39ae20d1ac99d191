import { CursorStaleError } from '@remit/engine/errors/chain'
import type { Hex } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { History } from './History.ts'
import type { IndexState, ProjectionReader } from './projection.ts'
import { ChainIndex, type SeenHead } from './status/ChainIndex.ts'

const CHAIN = 31337

const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

function standing(number: number, alarm: string | null = null): IndexState {
  const block = {
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: 1_000 + 2 * number,
  }
  return { block, finalizedBlock: 0, alarm, source: 'rpc', approvalsReadTo: null, providersChecked: 0 }
}

function headAt(number: number): SeenHead {
  return { ...standing(number).block, confirmed: true }
}

const running: ChainIndex[] = []
afterEach(async () => {
  for (const index of running.splice(0)) await index.stop()
})

/** A history over an index state, a head and a clock that the test moves. */
function stage(start: IndexState | null = standing(100)) {
  const state = {
    row: start ?? undefined,
    head: headAt(100) as SeenHead | undefined,
    nowMs: 0,
    fails: undefined as Error | undefined,
    logged: [] as string[],
  }
  const reader: Pick<ProjectionReader, 'indexState' | 'snapshot'> = {
    async indexState() {
      if (state.fails !== undefined) throw state.fails
      return state.row
    },
    async snapshot(_chainId, use) {
      if (state.fails !== undefined) throw state.fails
      const indexState = state.row
      // Safe: the queries of these tests use none.
      return indexState && { rows: await use({} as Parameters<typeof use>[0], indexState), indexState }
    },
  }
  const write = (message: string) => state.logged.push(message)
  const index = new ChainIndex({
    chainId: CHAIN,
    firstBlock: 1,
    source: 'rpc',
    head: () => state.head,
    reader,
    log: { info: write, warn: write, error: write },
    now: () => state.nowMs,
  })
  running.push(index)
  const history = new History({ reader, indexes: [index] })
  const read = (options: { minBlock?: number; signal?: AbortSignal } = {}) =>
    history.snapshot(CHAIN, options, async () => 'rows')
  return { state, index, history, read }
}

const health = (history: History) => history.health(CHAIN)

async function until(isTrue: () => boolean) {
  for (let attempt = 0; attempt < 200 && !isTrue(); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(isTrue()).toBe(true)
}

describe('what an answer says about the index', () => {
  it('is its block, and how far it is behind the chain by the chain’s clock', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    state.head = headAt(103)
    expect(await read()).toEqual({
      rows: 'rows',
      block: standing(100).block,
      finalizedBlock: standing(100).finalizedBlock,
      position: { blockNumber: 100, timestamp: 1_200, lagSeconds: 6, synced: true },
      failure: null,
      providersChecked: 0,
      approvalsReadTo: null,
    })
  })

  it('is never a negative lag, even if the index has a block before the head is seen', async () => {
    const { state, read } = stage(standing(105))
    state.head = headAt(100)
    expect((await read()).position).toMatchObject({ lagSeconds: 0, synced: true })
  })

  it('is not synced while many blocks are missing, a few for long, or no node confirms the head', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    state.head = headAt(106)
    expect((await read()).position.synced).toBe(false)
    state.head = headAt(101)
    expect((await read()).position.synced).toBe(true)
    state.nowMs = 10_001
    expect((await read()).position.synced).toBe(false)
    state.row = standing(101)
    index.moved(state.row)
    expect((await read()).position.synced).toBe(true)
    state.head = { ...headAt(101), confirmed: false }
    expect((await read()).position.synced).toBe(false)
  })

  it('is not synced a few blocks behind if the index was never at the head', async () => {
    const { state, index, read } = stage()
    state.head = headAt(102)
    index.moved(standing(100))
    expect((await read()).position.synced).toBe(false)
    state.row = standing(102)
    expect((await read()).position.synced).toBe(true)
  })

  it('is behind if its block was reorganised away', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    state.head = { ...headAt(100), hash: hashOf(999) }
    state.nowMs = 20_000
    await read()
    state.nowMs = 31_000
    expect((await read()).position.synced).toBe(false)
  })

  it('says that the index fails only if it stands still behind the head', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    state.nowMs = 60_000
    expect((await read()).failure).toBeNull()
    state.head = headAt(110)
    expect((await read()).failure).toBeNull()
    state.nowMs = 75_000
    expect((await read()).failure).toBeNull()
    state.nowMs = 81_000
    expect((await read()).failure).toBe(
      'The index of chain 31337 stands at block 100 and could not be filled for 21 s: later events may be missing.',
    )
    state.row = standing(101)
    index.moved(state.row)
    expect((await read()).failure).toBeNull()
  })

  it('says so too if its source does not answer, whatever the head is', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    index.follow(() => state.nowMs)
    state.nowMs = 19_000
    expect((await read()).failure).toBeNull()
    state.nowMs = 21_000
    expect((await read()).failure).toContain('could not be filled for 21 s')
  })
})

describe('an index that cannot be read', () => {
  it('is named: off, not begun, or failed, and the cause does not reach the caller', async () => {
    const { state, history, read } = stage(null)
    await expect(history.snapshot(1, {}, async () => 0)).rejects.toThrow('Chain 1 has no index here')
    await expect(read()).rejects.toThrow('is being built')
    state.fails = new Error('connect ECONNREFUSED 10.0.0.1')
    const failed = await read().catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'INDEX_UNAVAILABLE', cause: state.fails })
    expect(String(failed)).not.toContain('10.0.0.1')
  })

  it('passes a stale cursor and a bug on as they are', async () => {
    const { history } = stage()
    for (const error of [new CursorStaleError(), new TypeError('x is not a function')]) {
      const reading = history.snapshot(CHAIN, {}, () => Promise.reject(error))
      await expect(reading).rejects.toBe(error)
    }
  })
})

describe('minBlock', () => {
  it('waits for a commit of this process', async () => {
    const { state, index, read } = stage()
    index.moved(standing(100))
    const reading = read({ minBlock: 101 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    state.row = standing(101)
    index.moved(state.row)
    expect((await reading).block.number).toBe(101)
  })

  it('waits for a commit of another process, and sees it soon', async () => {
    const { state, index, read } = stage()
    index.start()
    await read({ minBlock: 100 })
    const reading = read({ minBlock: 101 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    state.row = standing(101)
    expect((await reading).block.number).toBe(101)
  })

  it('fails with its own error after 2 s, and at once if the caller has left', async () => {
    const { index, read } = stage()
    index.start()
    const begun = performance.now()
    await expect(read({ minBlock: 101 })).rejects.toMatchObject({
      code: 'BLOCK_NOT_SEEN',
      facts: { minBlock: 101, headNumber: 100 },
    })
    expect(performance.now() - begun).toBeGreaterThan(1_900)
    const left = new AbortController()
    const reading = read({ minBlock: 101, signal: left.signal })
    left.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
  })
})

describe('health', () => {
  it('is known without asking anybody: position, alarm and progress', () => {
    const { state, index, history } = stage()
    expect(health(history)).toMatchObject({ ok: true, blockNumber: null, lagSeconds: null, synced: false })
    state.head = headAt(1_000)
    index.moved(standing(100, 'Something is wrong.'))
    expect(health(history)).toEqual({
      source: 'rpc',
      ok: true,
      blockNumber: 100,
      lagSeconds: 1_800,
      synced: false,
      backfill: {
        fromBlock: 1,
        toBlock: 1_000,
        blockNumber: 100,
        percent: 10,
        blocksPerSecond: 0,
        blocksPerRequest: null,
        requestsLeft: null,
        secondsLeft: null,
      },
      approvals: null,
      alarm: 'Something is wrong.',
    })
    expect(history.health(1)).toBeNull()
  })

  it('is not ok if nothing ever begins to fill it', () => {
    const { state, history } = stage(null)
    state.nowMs = 21_000
    expect(health(history)).toMatchObject({ ok: false, alarm: expect.stringContaining('has not begun') })
  })

  it('is not ok while the store does not answer, logs that once, and recovers', async () => {
    const { state, index, history } = stage()
    index.start()
    await until(() => health(history)?.blockNumber === 100)
    state.fails = new Error('gone')
    // A waiter makes it look more often than once a second.
    await index.reached(101, 300, undefined)
    expect(health(history)).toMatchObject({ ok: false, alarm: expect.stringContaining('cannot be read') })
    state.nowMs = 100
    state.fails = undefined
    await index.reached(101, 300, undefined)
    expect(health(history)).toMatchObject({ ok: true, alarm: null })
    expect(state.logged).toEqual([
      "reading the index's state fails; trying again",
      "reading the index's state works again",
    ])
  })
})
