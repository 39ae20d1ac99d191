import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpstreamError } from '@remit/engine/errors/chain'
import { BlockGoneError } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource, IndexTip, SourceAnswer } from '@remit/engine/ports/source'
import { createRpc } from '@remit/engine/rpc/rpc'
import { BlockReader } from '@remit/engine/testing/block/BlockReader'
import { HeadWatcher } from '@remit/engine/testing/head/HeadWatcher'
import { createChainNodes } from '@remit/engine/testing/indexing/createChainNodes'
import { FactReader } from '@remit/engine/testing/indexing/events/FactReader'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { SubgraphFailedError } from '@remit/service/testing/history/sources/subgraph/SubgraphClient'
import { openStore } from '@remit/service/testing/store/openStore'
import { onTestFinished } from 'vitest'
import type { TestChain } from '../support/chain/useTestChain.ts'
import { pastApprovalsOf, readPastApprovals } from '../support/history/pastApprovals.ts'
import { projectionRows } from '../support/history/projectionRows.ts'

const LEASE_MS = 600_000
const AGAIN_MS = 20
/** As in fillFromLogs: whoever waits for a block looks by itself. */
const POLL_MS = 100
const ROLLBACK_AFTER_MS = 200
const FILL_WITHIN_MS = 20_000

/** A projection in a SQLite file of its own, moved by one source. */
export interface Filling {
  readonly source: EventSource
  /** All that was told to the log. */
  readonly told: readonly string[]
  tip(): Promise<IndexTip>
  /** Asks the source for its next move, and makes it. */
  step(): Promise<SourceAnswer>
  /** Steps until there is something to do: the head is seen a moment after it came. */
  stepOn(): Promise<SourceAnswer>
  /** Steps until the projection stands at the chain's newest block, as far as what fails may be tried again. */
  fill(): Promise<void>
  /** All rows, once the approvals that no step has read are read too. */
  rows(): ReturnType<typeof projectionRows>
}

/** Begins an empty projection of a test chain, for the test that runs. */
export async function beginFilling(
  chain: TestChain,
  makeSource: (nodes: ChainNodes, log: Log) => EventSource,
  options: { rpcUrls?: readonly string[] } = {},
): Promise<Filling> {
  const { chainId, contract, firstBlock, client } = chain
  const told: string[] = []
  const tell = (message: string, facts?: unknown) => told.push(`${message} ${JSON.stringify(facts)}`)
  const log: Log = { info: tell, warn: tell, error: tell }
  const rpc = createRpc({ chainId, urls: options.rpcUrls ?? [chain.url], log })
  const head = new HeadWatcher({
    rpc,
    pollMs: POLL_MS,
    rollbackAfterMs: ROLLBACK_AFTER_MS,
    isDevChain: true,
    log,
    onReorg: () => {},
  })
  head.start()
  const rollbackAfterMs = ROLLBACK_AFTER_MS
  const nodes = createChainNodes({
    rpc,
    blocks: new BlockReader({ rpc, log }),
    head,
    contract,
    finalityDepth: 64,
    rollbackAfterMs,
  })
  const source = makeSource(nodes, log)

  const folder = await mkdtemp(join(tmpdir(), 'remit-filling-'))
  const store = await openStore(`file:${join(folder, 'index.db')}`)
  onTestFinished(async () => {
    head.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const projection = createProjection(store)
  const { signal } = new AbortController()
  const facts = new FactReader(nodes)
  const identity = { chainId, contract, firstBlock, genesisHash: await nodes.genesisHash(signal) }
  const origin = () => source.origin(signal)
  const lease = await projection.take(identity, source.kind, origin, 'the test', LEASE_MS)
  if (lease === undefined) throw new Error('a lease of a new store is not free')

  const tip = () => projection.tip(chainId)
  const step = async () => {
    const from = await tip()
    const next = await source.next(from, signal)
    if (next.kind === 'step') {
      const read = await facts.read(next.step, signal)
      await projection.apply(lease, from.block, next.step, read, LEASE_MS)
    }
    return next
  }
  return {
    source,
    told,
    tip,
    step,
    async stepOn() {
      for (;;) {
        const next = await step()
        if (next.kind !== 'idle') return next
        await sleep(AGAIN_MS)
      }
    },
    async fill() {
      const deadline = performance.now() + FILL_WITHIN_MS
      for (;;) {
        const { hash } = await client.getBlock()
        if ((await tip()).block.hash === hash) return
        if (performance.now() > deadline) throw new Error('the projection does not reach the head')
        const next = await step().catch((error: unknown) => {
          const isWorthAnotherTry =
            error instanceof SubgraphFailedError ||
            error instanceof UpstreamError ||
            error instanceof BlockGoneError
          if (isWorthAnotherTry) return undefined
          throw error
        })
        if (next?.kind === 'step') continue
        const seen = head.seen()
        if (next === undefined || seen === undefined) await sleep(AGAIN_MS)
        else await head.refresh(seen, AGAIN_MS).catch(() => undefined)
      }
    },
    async rows() {
      await readPastApprovals(pastApprovalsOf({ nodes, store, firstBlock }), lease)
      return projectionRows(store, chainId)
    },
  }
}
