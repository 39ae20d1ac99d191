import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Chains } from './chain/Chains.ts'
import { type ChainEntry, isReachable } from './chain/registry.ts'
import type { Config } from './configuration/loadConfig.ts'
import type { Log } from './core/log.ts'
import type { ChainNode } from './core/node.ts'
import type { ChainObserver } from './core/telemetry.ts'
import { allAudits, createAccountsAudit } from './history/audits/createAccountsAudit.ts'
import { createAudit } from './history/audits/createAudit.ts'
import { verifyStore } from './history/audits/verifyStore.ts'
import { emptyProjection } from './history/follower/emptyProjection.ts'
import { Follower } from './history/follower/Follower.ts'
import { History } from './history/History.ts'
import { createProjection } from './history/projection/createProjection.ts'
import type { ProjectionReader, ProjectionWriter } from './history/projection.ts'
import type { EventSource } from './history/source.ts'
import { createRpcSource } from './history/sources/rpc/createRpcSource.ts'
import { createSubgraphSource } from './history/sources/subgraph/createSubgraphSource.ts'
import { ChainIndex, FAILING_AFTER_MS } from './history/status/ChainIndex.ts'
import type { Store } from './store/openStore.ts'
import { StoreError } from './store/StoreError.ts'

/** The indexes of all chains that have one, as this process reads and, if it is to, fills them. */
export interface Indexing {
  readonly history: History
  /** The chains that have one. */
  readonly chainIds: readonly number[]
  /** Resolves with the reason where the store turns out to hold another chain, once that can be asked. */
  readonly failed: Promise<Error>
  /**
   * Waits for chains, so that a short past is there when the first caller comes, but for 3 s at the most.
   * Throws StoreError where the store holds another chain.
   */
  start(): Promise<void>
  /**
   * Takes everything out of one chain's index, so that it is read anew. Call it before `start()`.
   *
   * Throws StoreError where the chain has no index here, or another process fills it.
   */
  empty(chainId: number): Promise<void>
  /** Ends after what is being written, and releases the leases. */
  stop(): Promise<void>
}

interface Options {
  readonly config: Pick<Config, 'chains' | 'indexer' | 'subgraphApiKey'>
  readonly chains: Chains
  readonly store: Store
  readonly log: Log
  /** Hears of what is asked of subgraphs; of nodes, `chains` tells. */
  readonly observer?: ChainObserver | undefined
  /** How long a process that died keeps others from taking over; default 10 s. */
  readonly leaseMs?: number
}

/** As long as a start waits for indexes; a past that takes longer is read while requests are answered. */
const SHORT_PAST_MS = 1_000

/** Wires the engine for every chain with an index. Nothing is asked of any chain before `start()`. */
export function createIndexing(options: Options): Indexing {
  const { config, store } = options
  const projection = createProjection(store)
  const stopped = new AbortController()
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<Error>((resolve) => {
    fail = resolve
  })
  const indexed = config.chains.filter((entry) => isReachable(entry) && entry.index !== 'off')
  const wired = indexed.map((entry) => wire(entry, projection, options))
  const history = new History({ reader: projection, indexes: wired.map(({ index }) => index) })

  return {
    history,
    chainIds: indexed.map(({ chainId }) => chainId),
    failed,
    async start() {
      const { signal } = stopped
      const verified = wired.map(({ identity, node }) =>
        verifyStore({ projection, identity, node, signal, later: fail }),
      )
      await Promise.all(verified)
      for (const { identity, index, follower } of wired) {
        index.start()
        // Nothing is read from a contract before it is known to be the protocol's.
        options.chains.confirmed(identity.chainId).then(() => {
          if (!signal.aborted) follower?.start()
        })
        follower?.failed.then(fail)
      }
      await Promise.all(wired.map(({ index }) => index.reachedHead(SHORT_PAST_MS, signal)))
    },
    async empty(chainId) {
      const found = wired.find(({ identity }) => identity.chainId === chainId)
      if (found === undefined) throw new StoreError(`Chain ${chainId} has no index here.`)
      const { identity, node, source } = found
      const { signal } = stopped
      // Refuses a contract that is not the protocol's: what is read anew from it would be nothing.
      await options.chains.withView(chainId, { signal }, async () => {})
      await emptyProjection({ identity, node, source, projection, holder: nameHolder(), signal })
    },
    async stop() {
      stopped.abort(new Error('the index is no longer used'))
      await Promise.all(wired.map(({ follower }) => follower?.stop()))
      await Promise.all(wired.map(({ index }) => index.stop()))
    },
  }
}

function wire(entry: ChainEntry, projection: ProjectionWriter & ProjectionReader, options: Options) {
  const { config, chains, store, log, leaseMs } = options
  const { chainId, contractAddress: contract, firstBlock } = entry
  const node = chains.node(chainId)
  const isSubgraph = entry.index === 'subgraph'
  const index = new ChainIndex({
    chainId,
    firstBlock,
    source: isSubgraph ? 'subgraph' : 'rpc',
    // What is not asked for cannot come: that alone is no failure.
    failingAfterMs: FAILING_AFTER_MS + (isSubgraph ? entry.subgraphPollSeconds * 1_000 : 0),
    head: () => chains.seenHead(chainId),
    reader: projection,
    log,
  })
  const identity = { chainId, contract, firstBlock }
  const source = sourceOf(entry, node, options)
  if (!config.indexer) return { identity, node, source, index, follower: undefined }
  const follower = new Follower({
    contract,
    firstBlock,
    source,
    node,
    projection,
    index,
    holder: nameHolder(),
    audit: allAudits([
      createAudit({ chainId, reader: projection, chains }),
      createAccountsAudit({ chainId, store, contract: node }),
    ]),
    log,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
  return { identity, node, source, index, follower }
}

/** For an operator who looks into the store; the end of it is what nobody else has. */
function nameHolder(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`
}

function sourceOf(
  { index, subgraphUrl, subgraphPollSeconds, firstBlock }: ChainEntry,
  node: ChainNode,
  { config, log, observer }: Options,
): EventSource {
  if (index !== 'subgraph' || subgraphUrl === undefined) return createRpcSource({ node, firstBlock, log })
  return createSubgraphSource({
    url: subgraphUrl,
    apiKey: config.subgraphApiKey,
    node,
    firstBlock,
    pollMs: subgraphPollSeconds * 1_000,
    log,
    ...(observer && { observer }),
  })
}
