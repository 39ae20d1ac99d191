import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Chains } from '@remit/engine/chain/Chains'
import { type ChainEntry, isReachable } from '@remit/engine/chain/registry'
import { createChainNodes } from '@remit/engine/indexing/createChainNodes'
import { FactReader } from '@remit/engine/indexing/events/FactReader'
import { createRpcSource } from '@remit/engine/indexing/logs/createRpcSource'
import type { Log } from '@remit/engine/ports/log'
import type { ChainNodes, ChainObserver } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import type { Config } from '../configuration/loadConfig.ts'
import { createAudit } from '../history/audits/audits.ts'
import { verifyStore } from '../history/audits/verifyStore.ts'
import { EventLogs } from '../history/EventLogs.ts'
import { Follower } from '../history/follower/Follower.ts'
import { PastApprovals } from '../history/follower/PastApprovals.ts'
import { History } from '../history/History.ts'
import { approvalStore } from '../history/projection/approvals.ts'
import { createProjection } from '../history/projection/createProjection.ts'
import { emptyProjection } from '../history/projection/emptyChain.ts'
import { watchStore } from '../history/projection/eventLog/watchStore.ts'
import { providerStore } from '../history/projection/providers.ts'
import { verdictStore } from '../history/projection/verdicts/verdictStore.ts'
import type { ProjectionReader, ProjectionWriter } from '../history/projection.ts'
import { type LookupsHealth, ProviderLookups } from '../history/providers/ProviderLookups.ts'
import { createTxtResolver } from '../history/providers/TxtResolver.ts'
import { createComposedSource } from '../history/sources/createComposedSource.ts'
import { createSubgraphSource } from '../history/sources/subgraph/createSubgraphSource.ts'
import { ChainIndex, FAILING_AFTER_MS } from '../history/status/ChainIndex.ts'
import { Sweep, type SweepHealth } from '../history/sweep/Sweep.ts'
import { UnloggedStateWatch } from '../history/sweep/UnloggedStateWatch.ts'
import type { ChainsState } from '../metrics/stateGauges.ts'
import type { WorkPulse } from '../metrics/WorkPulse.ts'
import { RescueSweep } from '../rescues/RescueSweep.ts'
import type { Store } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { StoreError } from '../store/StoreError.ts'

// Wires the indexes of a process. An index is a chain's history in the store. For each chain: a `source` gives the contract's logs; a
// `Follower` takes the chain's lease, so that one process alone writes, and writes the logs step by step into the `projection`, which is
// the tables; `ChainIndex` says how far that is. Other loops run while it has the lease (`whileLeased`), such as the sweep.

/** The indexes of all chains that have one. This process reads them and, with INDEXER=true, fills them. */
export interface Indexing {
  readonly history: History
  readonly events: EventLogs
  /** What the sweep of a chain, which reads anew who will be able to pay, has to do; `null` where this process does not sweep it. */
  sweep(chainId: number): SweepHealth | null
  /** How many providers' domains and names are to be looked up; `null` where this process looks none up. */
  lookups(chainId: number): LookupsHealth | null
  /** The chains that have an index. */
  readonly chainIds: readonly number[]
  /** Resolves with the reason if the store turns out to hold another chain. */
  readonly failed: Promise<Error>
  /**
   * First compares the store with the chain (`verifyStore`), for START_WAIT_MS at most; later only `failed` tells of another chain. Then
   * starts reading and, with INDEXER=true, filling, and waits SHORT_PAST_MS for the indexes to reach the head, so that a short history is
   * indexed before the first caller comes. Throws StoreError if the store holds another chain.
   */
  start(): Promise<void>
  /**
   * Deletes one chain's index, so that it is read again. Call it before `start()`.
   *
   * Throws StoreError if the chain has no index here, or another process fills it.
   */
  empty(chainId: number): Promise<void>
  /** Ends after the step that is being written, and releases the leases. */
  stop(): Promise<void>
}

interface Options {
  readonly config: Pick<
    Config,
    | 'chains'
    | 'indexer'
    | 'subgraphApiKey'
    | 'sweepRequestsPerHour'
    | 'dnsResolver'
    | 'secondDnsResolver'
    | 'providerLooksPerHour'
    | 'rescues'
    | 'secretsKeys'
  >
  readonly chains: Chains
  readonly store: Store
  readonly log: Log
  /** Is told of each request to a subgraph. Requests to nodes are reported by `chains`. */
  readonly observer?: ChainObserver | undefined
  /** How long the lease of a process that has died keeps others from taking over; default 10 s. */
  readonly leaseMs?: number
  /** Is told how the turns of each loop that fills an index end. */
  readonly pulse?: Pick<WorkPulse, 'add'>
}

/** How long a start waits for the indexes. A longer history is read while requests are answered. */
const SHORT_PAST_MS = 1_000

/** Wires an index for every chain that has one. No chain is asked before `start()`. */
export function createIndexing(options: Options): Indexing {
  const { config } = options
  const projection = createProjection(options.store)
  const stopped = new AbortController()
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<Error>((resolve) => {
    fail = resolve
  })
  const indexed = config.chains.filter((entry) => isReachable(entry) && entry.index !== 'off')
  const wired = indexed.map((entry) => wire(entry, projection, options))
  const history = new History({
    reader: projection,
    indexes: wired.map(({ index }) => index),
    wake: (chainId) => options.chains.wake(chainId),
  })

  const events = new EventLogs(
    projection,
    indexed.map(({ chainId }) => chainId),
    (chainId) => options.chains.wake(chainId).catch(() => undefined),
  )

  return {
    history,
    events,
    chainIds: indexed.map(({ chainId }) => chainId),
    failed,
    sweep: (chainId) => wired.find(({ identity }) => identity.chainId === chainId)?.sweep?.health() ?? null,
    lookups: (chainId) =>
      wired.find(({ identity }) => identity.chainId === chainId)?.lookups?.health() ?? null,
    async start() {
      const { signal } = stopped
      const verified = wired.map(({ identity, nodes }) =>
        verifyStore({ projection, identity, nodes, signal, failedLater: fail }),
      )
      await Promise.all(verified)
      for (const { identity, index, follower } of wired) {
        index.start()
        // The contract's logs are read only once its code is known to be the protocol's. That may come after this start.
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
      const { identity, nodes, source } = found
      const { signal } = stopped
      // Throws if the contract is not the protocol's: nothing could be read from it.
      await options.chains.withView(chainId, { signal }, async () => {})
      await emptyProjection({ identity, nodes, source, projection, holder: nameHolder(), signal })
    },
    async stop() {
      stopped.abort(new Error('the index is no longer used'))
      await Promise.all(wired.map(({ follower }) => follower?.stop()))
      await Promise.all(wired.map(({ index }) => index.stop()))
    },
  }
}

/** What the metrics of a process show of its chains and their indexes. */
export function chainsState(
  chains: Chains,
  { history, sweep, lookups }: Pick<Indexing, 'history' | 'sweep' | 'lookups'>,
): ChainsState {
  return {
    chains: () => chains.health(),
    nodeLimits: (chainId) => chains.nodeLimits(chainId),
    index: (chainId) => history.health(chainId),
    sweep,
    lookups,
  }
}

/** One chain's index, and what fills it where this process does (INDEXER=true). */
function wire(entry: ChainEntry, projection: ProjectionWriter & ProjectionReader, options: Options) {
  const { config, chains, store, log, leaseMs, pulse } = options
  const { chainId, contractAddress: contract, firstBlock } = entry
  const nodes = createChainNodes(chains.indexing(chainId))
  const isSubgraph = entry.index === 'subgraph'
  const index = new ChainIndex({
    chainId,
    firstBlock,
    source: isSubgraph ? 'subgraph' : 'rpc',
    // Between two polls of a subgraph nothing comes, and that is no failure.
    failingAfterMs: FAILING_AFTER_MS + (isSubgraph ? entry.subgraphPollSeconds * 1_000 : 0),
    head: () => chains.seenHead(chainId),
    reader: projection,
    log,
  })
  const identity = { chainId, contract, firstBlock }
  const source = sourceOf(entry, nodes, options)
  if (!config.indexer) {
    return { identity, nodes, source, index, follower: undefined, sweep: undefined, lookups: undefined }
  }
  const sweep = new Sweep({
    chainId,
    chains,
    reader: projection,
    store: verdictStore(store),
    isSynced: () => index.health().synced,
    requestsPerHour: config.sweepRequestsPerHour,
    watch: new UnloggedStateWatch({ chainId, chains, reader: projection, store: watchStore(store) }),
    log,
  })
  const past = new PastApprovals({
    source: createRpcSource({ nodes, firstBlock, log, approvalsUpTo: () => indexTip(projection, chainId) }),
    nodes,
    facts: new FactReader(nodes),
    projection,
    store: approvalStore(store),
    onWritten: () => sweep.stepWritten(),
    log,
  })
  const lookups = new ProviderLookups({
    chainId,
    chains,
    reader: projection,
    store: providerStore(store),
    isSynced: () => index.health().synced,
    resolvers: resolversOf(config),
    // Without a second resolver and a registry of names there is nothing to ask, so nobody is looked up.
    perHour:
      config.secondDnsResolver === undefined && entry.nameRegistry === undefined
        ? 0
        : config.providerLooksPerHour,
    log,
  })
  const { rescues, secretsKeys } = config
  const rescueSweeps =
    rescues && secretsKeys !== undefined
      ? [new RescueSweep({ chainId, chains, store, box: new SecretBox(secretsKeys), log })]
      : []
  const follower = new Follower({
    contract,
    firstBlock,
    source,
    nodes,
    projection,
    index,
    holder: nameHolder(),
    audit: createAudit({ chainId, reader: projection, chains, store, contract: nodes }),
    whileLeased: [sweep, past, lookups, ...rescueSweeps],
    log,
    ...(pulse && { work: pulse.add(`The index of chain ${chainId}`) }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
  return { identity, nodes, source, index, follower, sweep, lookups }
}

function resolversOf({ dnsResolver, secondDnsResolver }: Options['config']) {
  if (secondDnsResolver === undefined) return undefined
  return { first: createTxtResolver(dnsResolver), second: createTxtResolver(secondDnsResolver) }
}

/** The block at which an index stands: `PastApprovals` reads approvals up to there. */
async function indexTip(projection: ProjectionReader, chainId: number) {
  const state = await projection.indexState(chainId)
  if (state === undefined) throw new StoreError(`Chain ${chainId} has no index here.`)
  return { head: state.block, finalizedBlock: state.finalizedBlock }
}

/** The name by which this process holds leases: host and process for an operator who reads the store, and a random end to be unique. */
function nameHolder(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`
}

/** What gives the logs of a chain: nodes; or a subgraph; or a subgraph for the past and nodes for the present. */
function sourceOf(entry: ChainEntry, nodes: ChainNodes, options: Options): EventSource {
  const { index, subgraphUrl, firstBlock } = entry
  const { log } = options
  if (subgraphUrl === undefined) return createRpcSource({ nodes, firstBlock, log })
  const subgraph = subgraphOf(entry, subgraphUrl, nodes, options)
  if (index === 'subgraph') return subgraph
  return createComposedSource({
    past: subgraph,
    present: createRpcSource({ nodes, firstBlock, log }),
    nodes,
    log,
  })
}

function subgraphOf(
  { subgraphPollSeconds, firstBlock }: ChainEntry,
  url: string,
  nodes: ChainNodes,
  { config, log, observer }: Options,
): EventSource {
  return createSubgraphSource({
    url,
    apiKey: config.subgraphApiKey,
    nodes,
    firstBlock,
    pollMs: subgraphPollSeconds * 1_000,
    log,
    ...(observer && { observer }),
  })
}
