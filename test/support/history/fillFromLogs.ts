import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpstreamError, UpstreamTimeoutError } from '@remit/engine/errors/chain'
import { BlockGoneError } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import type { AccountTotal, ChainNodes } from '@remit/engine/ports/nodes'
import {
  type EventSource,
  type IndexTip,
  type SourceAnswer,
  SourceError,
  type Step,
} from '@remit/engine/ports/source'
import { createRpc } from '@remit/engine/rpc/rpc'
import { BlockReader } from '@remit/engine/testing/block/BlockReader'
import { HeadWatcher } from '@remit/engine/testing/head/HeadWatcher'
import { createChainNodes } from '@remit/engine/testing/indexing/createChainNodes'
import { FactReader } from '@remit/engine/testing/indexing/events/FactReader'
import { createRpcSource } from '@remit/engine/testing/indexing/logs/createRpcSource'
import type { Lease } from '@remit/service/testing/history/projection'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { SubgraphFailedError } from '@remit/service/testing/history/sources/subgraph/SubgraphClient'
import type { Store } from '@remit/service/testing/store/openStore'
import { openStore } from '@remit/service/testing/store/openStore'
import { onTestFinished } from 'vitest'
import type { TestChain } from '../chain/useTestChain.ts'
import { pastApprovalsOf, readPastApprovals } from './pastApprovals.ts'
import { projectionRows } from './projectionRows.ts'

const LEASE_MS = 600_000
/** How soon what has failed, or has found nothing, is tried again. */
const AGAIN_MS = 20
/** Whoever waits for a block looks by itself: a watcher that asks all the time costs a test more than its work. */
const POLL_MS = 100
const ROLLBACK_AFTER_MS = 150
const FILL_WITHIN_MS = 12_000

/** A projection in SQLite that is filled from one source, a chain's logs if no other is given, and by nobody else. */
export interface LogFilling {
  readonly nodes: ChainNodes & AccountTotal
  readonly head: HeadWatcher
  readonly source: EventSource
  readonly store: Store
  /** Every line that was logged. */
  readonly told: readonly string[]
  /** Every step that was made. */
  readonly steps: readonly Step[]
  /** Every alarm that was ever raised, in order. */
  readonly alarms: readonly string[]
  /** The lease that it is filled under. */
  lease(): Promise<Lease>
  tip(): Promise<IndexTip>
  /** Waits until its source has seen the chain's newest block. */
  seeHead(): Promise<void>
  /** Asks for the next move and makes it. */
  step(): Promise<SourceAnswer>
  /** Steps until there is something to do: the head is seen a moment after it came. */
  stepOn(): Promise<SourceAnswer>
  /** Steps until it stands at the chain's newest block; what may be tried again is. Returns what failed. */
  fill(withinMs?: number): Promise<readonly Error[]>
  /** All rows, once the approvals that no step has read are read too. */
  rows(): ReturnType<typeof projectionRows>
}

/** Begins an empty projection for the test that runs. */
export async function fillFromLogs(
  chain: Pick<TestChain, 'chainId' | 'contract' | 'firstBlock' | 'client'>,
  urls: readonly string[],
  options: {
    finalityDepth?: number
    timeoutMs?: number
    secondNodeWaitMs?: number
    /** Where to fill it; default a new store of the test that runs. */
    store?: Store
    /** What it is filled from; default the chain's logs. */
    makeSource?: (nodes: ChainNodes, log: Log) => EventSource
  } = {},
): Promise<LogFilling> {
  const { finalityDepth = 64, timeoutMs = 10_000, secondNodeWaitMs = 30_000 } = options
  const { chainId, contract, firstBlock, client } = chain
  const told: string[] = []
  const tell = (message: string, facts?: unknown) => void told.push(`${message} ${JSON.stringify(facts)}`)
  const log: Log = { info: tell, warn: tell, error: tell }
  const rpc = createRpc({ chainId, urls, timeoutMs, log })
  const rollbackAfterMs = ROLLBACK_AFTER_MS
  const head = new HeadWatcher({
    ...{ rpc, pollMs: POLL_MS, rollbackAfterMs, log },
    isDevChain: true,
    onReorg: () => {},
  })
  head.start()
  const nodes = createChainNodes({
    rpc,
    blocks: new BlockReader({ rpc, log }),
    head,
    contract,
    finalityDepth,
    rollbackAfterMs,
  })
  const source =
    options.makeSource?.(nodes, log) ?? createRpcSource({ nodes, firstBlock, log, secondNodeWaitMs })

  const store = options.store ?? (await newStore())
  onTestFinished(() => head.stop())
  const projection = createProjection(store)
  const { signal } = new AbortController()
  const facts = new FactReader(nodes)
  const past = pastApprovalsOf({ nodes, store, firstBlock })
  const steps: Step[] = []
  const alarms: string[] = []

  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 20 || !isWorthATry(error)) throw error
        await sleep(AGAIN_MS)
      }
    }
  }
  const take = async () => {
    const genesisHash = await retried(() => nodes.genesisHash(signal))
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
  /** Asks for the head now. Returns once it is another one, or after a moment. */
  const look = async () => {
    const seen = head.seen()
    if (seen === undefined) await sleep(AGAIN_MS)
    else await head.refresh(seen, AGAIN_MS).catch(() => undefined)
  }
  const step = async () => {
    const from = await tip()
    const next = await source.next(from, signal)
    const { alarm } = next.progress
    if (alarm !== null && alarm !== alarms.at(-1)) alarms.push(alarm)
    if (next.kind === 'idle') return next
    const read = await facts.read(next.step, signal)
    await projection.apply(await lease(), from.block, next.step, read, LEASE_MS)
    steps.push(next.step)
    return next
  }
  return {
    nodes,
    head,
    source,
    store,
    told,
    steps,
    alarms,
    lease,
    tip,
    async seeHead() {
      const { hash } = await client.getBlock()
      while (head.seen()?.hash !== hash) await look()
    },
    step,
    async stepOn() {
      for (;;) {
        const next = await step()
        if (next.kind !== 'idle') return next
        await sleep(AGAIN_MS)
      }
    },
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
        if (next === undefined) await sleep(AGAIN_MS)
        else if (next.kind === 'idle') await look()
      }
    },
    async rows() {
      await readPastApprovals(past, await lease())
      return projectionRows(store, chainId)
    },
  }
}

async function newStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'remit-logs-'))
  const store = await openStore(`file:${join(folder, 'index.db')}`)
  onTestFinished(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
}

/** What an engine tries again. */
function isWorthATry(error: unknown): error is Error {
  return (
    error instanceof UpstreamError ||
    error instanceof UpstreamTimeoutError ||
    error instanceof SourceError ||
    error instanceof SubgraphFailedError ||
    error instanceof BlockGoneError
  )
}
