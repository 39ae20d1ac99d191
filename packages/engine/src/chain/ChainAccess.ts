import { dayNumberAt, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { FactStore } from '../block/facts.ts'
import { isSignedByContract } from '../block/signatures.ts'
import { UpstreamError } from '../errors/chain.ts'
import type { Head } from '../head/blockHeader.ts'
import { chainTime } from '../head/chainTime.ts'
import { HeadWatcher } from '../head/HeadWatcher.ts'
import type { ChainNodeOptions } from '../indexing/createChainNodes.ts'
import { LensCaller } from '../lens/lensCaller.ts'
import { createReads } from '../lens/reads.ts'
import {
  BlockGoneError,
  type ChainHealth,
  type ChainView,
  type Moment,
  ReceiptAheadError,
} from '../ports/chains.ts'
import type { Forecaster, ThreadAnswers } from '../ports/forecasts.ts'
import type { BlockRef } from '../ports/history.ts'
import type { Log } from '../ports/log.ts'
import type { EndpointLimits, NodeRequest, OpenSocket } from '../ports/nodes.ts'
import { type ChainObserver, unobservedChains } from '../ports/nodes.ts'
import type { RemitTrials } from '../ports/remit.ts'
import type { FindOutstandingPermits } from '../ports/rescues.ts'
import type { Prover } from '../proof/prover.ts'
import { createRemitTrials } from '../remit/remitTrials.ts'
import { refusalIn } from '../rpc/refusal.ts'
import { createRpc, RPC_TIMEOUT_MS, type Rpc } from '../rpc/rpc.ts'
import type { Transactions } from '../transactions/transactions.ts'
import { untilAborted } from '../waiting/untilAborted.ts'
import { ContractCheck } from './ContractCheck.ts'
import { Forecasts, type ForecastTimes } from './Forecasts.ts'
import { type ChainEntry, hasSteadyPace, isDevChain, pollIntervalMs, rollbackAfterMsOf } from './registry.ts'

/**
 * How many views one request may use: a view's block may be reorganised away, and a transaction may be in a later one.
 */
const MOST_TRIES = 3

/** What a caller asked of a view. */
interface Asked {
  /** The view's block must be this one or a later one. */
  readonly minBlock?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** The chain's clock, unix seconds, for a view of a named block alone; default: as the head and the process's clocks tell it. */
  readonly now?: number | undefined
}

/**
 * One chain that has an RPC URL: its nodes, its head, and what was read of it. It gives the views on which operations are
 * answered (`withView`). A view is one block and one time, and reads everything there. In this order:
 * 1. The configured contract must be the protocol's (`ContractCheck`).
 * 2. The block is the one asked for, or the head (`HeadWatcher`).
 * 3. `use` runs on a view of that block (`#viewAtTime` makes it).
 * 4. Where the block turns out to be gone and was not asked for, `use` runs again at another head, three times in all.
 */
export class ChainAccess {
  readonly entry: ChainEntry
  /** What an indexer is made with. */
  readonly indexing: ChainNodeOptions
  readonly #wallNow: () => number
  readonly #rpc: Rpc
  readonly #head: HeadWatcher
  readonly #contract: ContractCheck
  readonly #readsAt: ReturnType<typeof createReads>
  readonly #blocks: BlockReader
  readonly #loadProver: () => Promise<Prover>
  readonly #remitTrialsAt: (view: BlockView) => RemitTrials
  readonly #loadTransactions: () => Promise<Transactions>
  readonly #forecasts: Forecasts
  readonly #threadAnswers: ThreadAnswers | undefined
  readonly #outstandingPermits: FindOutstandingPermits

  /**
   * @param options.request asks its node, in place of the entry's URLs
   * @param options.rpcTimeoutMs for one request with all its retries, and for all pages that a caller's request reads; default 10 s
   * @param options.idleAfterMs without a caller for so long, the head is asked for seldom; default never
   * @param options.wallNow unix time in milliseconds; default the process's clock
   * @param options.openSocket listens to new blocks where nodes announce them; by default the head is asked for
   * @param options.forecaster makes forecasts; by default this process can give none
   * @param options.threadAnswers answers what takes long; by default it is answered here
   * @param options.outstandingPermits finds signed permits that are known; by default none is
   * @param options.forecastTimes how often forecasts are made, and how long they are waited for
   */
  constructor(options: {
    entry: ChainEntry
    request?: NodeRequest | undefined
    rpcTimeoutMs?: number
    idleAfterMs?: number
    log: Log
    observer?: ChainObserver | undefined
    openSocket?: OpenSocket
    wallNow?: () => number
    forecaster?: Forecaster
    threadAnswers?: ThreadAnswers | undefined
    outstandingPermits?: FindOutstandingPermits | undefined
    forecastTimes?: Partial<ForecastTimes>
  }) {
    const {
      entry,
      request,
      rpcTimeoutMs = RPC_TIMEOUT_MS,
      idleAfterMs,
      log,
      observer = unobservedChains,
      openSocket,
      wallNow = Date.now,
      forecaster = NO_FORECASTER,
      forecastTimes: times,
      threadAnswers,
      outstandingPermits = async () => [],
    } = options
    const { chainId, contractAddress } = entry
    const onCacheAsked = (known: boolean) => observer.blockCacheAsked(chainId, known)
    const rpc = createRpc({
      chainId,
      urls: request === undefined ? entry.rpcUrls : [request],
      log,
      observer,
      limits: entry.rpcLimits,
      timeoutMs: rpcTimeoutMs,
    })
    this.#threadAnswers = threadAnswers
    this.#outstandingPermits = outstandingPermits
    this.#forecasts = new Forecasts({ chainId, forecaster, log, times })
    const facts = new FactStore()
    const blocks = new BlockReader({ rpc, log })
    const pollMs = pollIntervalMs(entry)
    const rollbackAfterMs = rollbackAfterMsOf(entry)
    this.entry = entry
    this.#wallNow = wallNow
    this.#rpc = rpc
    this.#head = new HeadWatcher({
      rpc,
      pollMs,
      isSteady: hasSteadyPace(entry),
      ...(idleAfterMs === undefined ? {} : { idleAfterMs }),
      headUrls: entry.headUrls,
      openSocket,
      rollbackAfterMs,
      isDevChain: isDevChain(entry),
      wallNow,
      log,
      onReorg: () => {
        facts.clear()
        this.#forecasts.forget()
      },
    })
    this.#contract = new ContractCheck({ rpc, head: this.#head, contract: contractAddress, pollMs, log })
    this.indexing = {
      rpc,
      blocks,
      head: this.#head,
      contract: contractAddress,
      finalityDepth: entry.finalityDepth,
      rollbackAfterMs,
    }
    this.#readsAt = createReads({
      caller: new LensCaller({ blocks, log }),
      chainId,
      protocol: contractAddress,
      candidates: entry.tokens,
      facts,
      timeoutMs: rpcTimeoutMs,
      onCacheAsked,
    })
    this.#blocks = blocks
    let prover: Prover | undefined
    this.#loadProver = async () => {
      const { createProver } = await import('../proof/prover.ts')
      prover ??= createProver({ rpc, blocks, entry, facts, onCacheAsked })
      return prover
    }
    this.#remitTrialsAt = createRemitTrials({ blocks, entry, onCacheAsked })
    let transactions: Transactions | undefined
    this.#loadTransactions = async () => {
      const { createTransactions } = await import('../transactions/transactions.ts')
      transactions ??= createTransactions({ rpc, blocks, entry, facts })
      return transactions
    }
  }

  start(): void {
    this.#head.start()
    this.#contract.start()
  }

  stop(): void {
    this.#head.stop()
    this.#contract.stop()
  }

  /** The head as it was last seen, and whether nodes still confirm it. Never asks. */
  seenHead(): (BlockRef & { readonly confirmed: boolean }) | undefined {
    const head = this.#head.seen()
    return head && { ...head, confirmed: this.#head.health().ok }
  }

  /**
   * Somebody waits for news of this chain, so its head is followed closely again. If nobody called for long, this asks
   * for the head and resolves with its number, or `undefined` if it could not be read.
   */
  async wake(): Promise<number | undefined> {
    if (!this.#head.isIdle) return void this.#head.touch()
    const head = await this.#head.current().catch(() => undefined)
    return head?.number
  }

  health(): ChainHealth {
    return {
      chainId: this.entry.chainId,
      rpc: this.#head.health(),
      confirmed: this.#contract.isConfirmed(),
      misconfigured: this.#contract.problem() ?? null,
    }
  }

  /** What is known of each of the chain's nodes. */
  nodeLimits(): readonly EndpointLimits[] {
    return Array.from({ length: this.#rpc.count }, (_, node) => this.#rpc.limits(node).known())
  }

  /** Resolves once a node has answered and the configured contract has been found to be the protocol's. */
  confirmed(): Promise<void> {
    return this.#contract.confirmed()
  }

  /** As `ChainsPort.throwIfMisconfigured`, for this chain. */
  throwIfMisconfigured(): void {
    this.#contract.throwIfMisconfigured()
  }

  /** As `ChainsPort.seen`, for this chain. */
  seen({ minBlock = 0 }: { minBlock?: number }): Moment | undefined {
    const head = this.#contract.isConfirmed() ? this.#head.fresh() : undefined
    if (head === undefined || head.number < minBlock) return undefined
    return { blockHash: head.hash, today: dayNumberAt(this.#nowAfter(head)) }
  }

  /** As `ChainsPort.withView`, for this chain. */
  async withView<T>(
    asked: { minBlock?: number; block?: BlockRef; now?: number; signal?: AbortSignal },
    use: (view: ChainView) => Promise<T>,
  ): Promise<T> {
    const { minBlock, block, now, signal } = asked
    const view = async () => {
      await this.#contract.require()
      return block === undefined
        ? this.#withViewAtHead({ minBlock, signal }, use)
        : this.#withViewAtBlock(block, { minBlock, now, signal }, use)
    }
    return untilAborted(signal, view().catch(this.#blameNode))
  }

  /** Runs `use` at this very block, once. Throws BlockGoneError where no node has its state. */
  async #withViewAtBlock<T>(block: BlockRef, asked: Asked, use: (view: ChainView) => Promise<T>): Promise<T> {
    try {
      return await use(this.#viewAt({ ...block, seenAt: performance.now() }, asked))
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
      throw new BlockGoneError(`no node has the state of block ${block.number}`, { cause: error })
    }
  }

  /** Runs `use` at the head, and again at another one where the block turns out to be gone. */
  async #withViewAtHead<T>(asked: Asked, use: (view: ChainView) => Promise<T>): Promise<T> {
    const { minBlock, signal } = asked
    let head = await (minBlock === undefined ? this.#head.current() : this.#head.waitFor(minBlock))
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      try {
        return await use(this.#viewAt(head, asked))
      } catch (error) {
        if (tries === MOST_TRIES) throw this.#afterTries(error)
        head = await this.#headAfter(error, head)
      }
    }
  }

  /** The error after the last try. A caller who asked for the head named no block, so BlockGoneError would make no sense to them. */
  #afterTries(error: unknown): unknown {
    return error instanceof BlockGoneError ? new UpstreamError(this.entry.chainId, { cause: error }) : error
  }

  /** The head to try next, if the failure was about the block. Otherwise throws the failure. */
  async #headAfter(error: unknown, head: Head): Promise<Head> {
    if (error instanceof ReceiptAheadError && error.blockNumber > head.number) {
      return this.#head.waitFor(error.blockNumber)
    }
    const isGone = isUnknownBlock(error) || error instanceof BlockGoneError
    if (isGone || error instanceof ReceiptAheadError) {
      return this.#head.refresh(head)
    }
    throw error
  }

  /** Rethrows an error. A node's refusal that no code before has turned into an error for callers becomes an UpstreamError. */
  #blameNode = (error: unknown): never => {
    if (refusalIn(error) !== undefined || error instanceof ReceiptAheadError)
      throw new UpstreamError(this.entry.chainId, { cause: error })
    throw error
  }

  #viewAt(head: Head, asked: Asked): ChainView {
    // Today is the newest head's also for a view of an older block, such as the index's: the clock is the chain's, not the block's.
    const { now = this.#nowAfter(this.#head.seen() ?? head) } = asked
    return this.#viewAtTime({ head, now }, asked)
  }

  /** The chain's clock, unix seconds. */
  #nowAfter(head: Head): number {
    return chainTime(head, { steadyMs: performance.now(), wallMs: this.#wallNow() })
  }

  /** Makes a view. `mostRows` bounds its backlog (`ChainView.onDay`); without it, nothing does. */
  #viewAtTime(
    { head, now, mostRows }: { head: Head; now: number; mostRows?: number },
    asked: Asked,
  ): ChainView {
    const { signal, minBlock } = asked
    const { chainId, name, contractAddress, nameRegistry } = this.entry
    const asOf = { blockNumber: head.number, blockHash: head.hash, timestamp: head.timestamp }
    const today = dayNumberAt(now)
    const read = this.#readsAt(head, today, mostRows)
    const threadAnswers = this.#threadAnswers
    const blockView: BlockView = {
      chainId,
      asOf,
      read,
      now,
      ...(signal === undefined ? {} : { signal }),
    }
    return {
      chainId,
      name,
      contractAddress,
      isDevChain: isDevChain(this.entry),
      asOf,
      now,
      today,
      read,
      remit: this.#remitTrialsAt(blockView),
      onDay: (day, most) => {
        const later = { head, now: Math.max(now, day * SECONDS_PER_DAY), mostRows: most }
        return this.#viewAtTime(later, asked)
      },
      readAt: (block) => this.#readsAt({ ...block, seenAt: head.seenAt }, today, mostRows),
      forecast: (throughDay, { isCurrent } = { isCurrent: false }) => {
        const seen = this.#head.seen()
        const newest = seen !== undefined && seen.number > head.number ? seen : head
        const asker = { head: newest, now, today, minBlock: isCurrent ? head.number : minBlock }
        return this.#forecasts.get(asker, throughDay)
      },
      answerInThread:
        threadAnswers && ((question) => threadAnswers.answer({ chainId, block: head, now, ...question })),
      outstandingPermits: (owner, token) => this.#outstandingPermits({ chainId, owner, token }),
      isSignedByContract: (claim) => isSignedByContract(this.#blocks, blockView, claim),
      nameOf: async (address) => {
        if (nameRegistry === undefined) return null
        // The tables of ENSIP-15 are large, and few answers name anybody.
        const { readPrimaryName } = await import('../block/primaryName.ts')
        return readPrimaryName(this.#blocks, blockView, nameRegistry, address)
      },
      // Loaded when first needed, as all below: reads need none of it.
      prove: async (plan) => (await this.#loadProver()).prove(blockView, plan),
      attempt: async (plan) => (await this.#loadProver()).attempt(blockView, plan),
      sealedState: async (slots) => {
        const { readSealedState } = await import('../inclusion/proofParts.ts')
        const contract = contractAddress
        return readSealedState({ rpc: this.#rpc, blocks: this.#blocks, contract }, blockView, slots)
      },
      sealedBlock: async (number) => {
        const { readSealedBlock } = await import('../inclusion/proofParts.ts')
        return readSealedBlock(this.#rpc, blockView, number)
      },
      transaction: async (hash, sent) => (await this.#loadTransactions()).transaction(blockView, hash, sent),
    }
  }
}

/** In place of a forecaster where a process has none, such as a client: an operation that needs a forecast fails there. */
const NO_FORECASTER: Forecaster = {
  make: async () => {
    throw new RangeError('this process makes no forecasts')
  },
}

function isUnknownBlock(error: unknown): boolean {
  return refusalIn(error)?.kind === 'unknownBlock'
}
