import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { BlockReader } from '../../../src/chain/block/BlockReader.ts'
import { HeadWatcher } from '../../../src/chain/head/head.ts'
import { createChainNode } from '../../../src/chain/indexing/node.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { BlockGoneError } from '../../../src/core/ports/chains.ts'
import type { AccountTotal, ChainNode } from '../../../src/core/ports/node.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../../src/errors/chain.ts'
import { readTerms } from '../../../src/history/follower/readTerms.ts'
import { createProjection } from '../../../src/history/projection/createProjection.ts'
import {
  type EventSource,
  type IndexTip,
  type Next,
  SourceError,
  type Step,
} from '../../../src/history/source.ts'
import { createRpcSource } from '../../../src/history/sources/rpc/createRpcSource.ts'
import type { Store } from '../../../src/store/openStore.ts'
import { openStore } from '../../../src/store/openStore.ts'
import type { TestChain } from '../chain/useTestChain.ts'
import { projectionRows } from './projectionRows.ts'

const LEASE_MS = 600_000
const POLL_MS = 20
const ROLLBACK_AFTER_MS = 150
const FILL_WITHIN_MS = 12_000

/** A projection in SQLite that is filled from a chain's logs, step by step and by nobody else. */
export interface LogFilling {
  readonly node: ChainNode & AccountTotal
  readonly head: HeadWatcher
  readonly source: EventSource
  readonly store: Store
  /** Every line that was logged. */
  readonly told: readonly string[]
  /** Every step that was made. */
  readonly steps: readonly Step[]
  /** Every alarm that was ever raised, in order. */
  readonly alarms: readonly string[]
  tip(): Promise<IndexTip>
  /** Asks for the next move and makes it. */
  step(): Promise<Next>
  /** Steps until it stands at the chain's newest block; what may be tried again is. Returns what failed. */
  fill(withinMs?: number): Promise<readonly Error[]>
  rows(): ReturnType<typeof projectionRows>
}

/** Begins an empty projection for the test that runs. */
export async function fillFromLogs(
  chain: Pick<TestChain, 'chainId' | 'contract' | 'firstBlock' | 'client'>,
  urls: readonly string[],
  { finalityDepth = 64, timeoutMs = 1_000, secondNodeWaitMs = 30_000 } = {},
): Promise<LogFilling> {
  const { chainId, contract, firstBlock, client } = chain
  const told: string[] = []
  const tell = (message: string, facts?: unknown) => void told.push(`${message} ${JSON.stringify(facts)}`)
  const log = { info: tell, warn: tell, error: tell }
  const rpc = createRpc({ chainId, urls, timeoutMs, log })
  const rollbackAfterMs = ROLLBACK_AFTER_MS
  const head = new HeadWatcher({ rpc, pollMs: POLL_MS, rollbackAfterMs, log, onReorg: () => {} })
  head.start()
  const node = createChainNode({
    rpc,
    blocks: new BlockReader({ rpc, log }),
    head,
    contract,
    finalityDepth,
    rollbackAfterMs,
  })
  const source = createRpcSource({ node, firstBlock, log, secondNodeWaitMs })

  const folder = await mkdtemp(join(tmpdir(), 'remit-logs-'))
  const store = await openStore(`file:${join(folder, 'index.db')}`)
  onTestFinished(async () => {
    head.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const projection = createProjection(store)
  const { signal } = new AbortController()
  const steps: Step[] = []
  const alarms: string[] = []

  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 20 || !isWorthATry(error)) throw error
        await sleep(POLL_MS)
      }
    }
  }
  const take = async () => {
    const genesisHash = await retried(() => node.genesisHash(signal))
    const identity = { chainId, contract, firstBlock, genesisHash }
    const origin = () => retried(() => source.origin(signal))
    const lease = await projection.take(identity, source.kind, origin, 'the test', LEASE_MS)
    if (lease === undefined) throw new Error('the lease of a new store is not free')
    return lease
  }
  let taken: ReturnType<typeof take> | undefined
  const lease = () => {
    taken ??= take()
    return taken
  }
  const tip = async () => {
    await lease()
    return projection.tip(chainId)
  }
  const step = async () => {
    const from = await tip()
    const next = await source.next(from, signal)
    const { alarm } = next.progress
    if (alarm !== null && alarm !== alarms.at(-1)) alarms.push(alarm)
    if (next.kind === 'idle') return next
    const terms = await readTerms(node, next.step, signal)
    await projection.apply(await lease(), from.block, next.step, terms, LEASE_MS)
    steps.push(next.step)
    return next
  }
  return {
    node,
    head,
    source,
    store,
    told,
    steps,
    alarms,
    tip,
    step,
    async fill(withinMs = FILL_WITHIN_MS) {
      const deadline = performance.now() + withinMs
      const failures: Error[] = []
      for (;;) {
        const { hash, number } = await client.getBlock()
        const { block } = await tip()
        if (block.hash === hash) return failures
        if (performance.now() > deadline) {
          throw new Error(`stands at ${block.number} of ${number}; last failure: ${failures.at(-1)?.message}`)
        }
        const next = await step().catch((error: unknown) => {
          if (!isWorthATry(error)) throw error
          failures.push(error)
        })
        if (next?.kind !== 'step') await sleep(POLL_MS)
      }
    },
    rows: () => projectionRows(store, chainId),
  }
}

/** What an engine tries again. */
function isWorthATry(error: unknown): error is Error {
  return (
    error instanceof UpstreamError ||
    error instanceof UpstreamTimeoutError ||
    error instanceof SourceError ||
    error instanceof BlockGoneError
  )
}
