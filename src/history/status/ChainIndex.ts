import type { BlockRef, IndexHealth, IndexPosition } from '../../core/history.ts'
import type { Log } from '../../core/log.ts'
import { News } from '../News.ts'
import { Outage } from '../Outage.ts'
import type { IndexState, ProjectionReader } from '../projection.ts'
import { BackfillMeter } from './BackfillMeter.ts'
import { Lateness } from './Lateness.ts'

/** The chain's newest block as this process has seen it. */
export interface SeenHead extends Pick<BlockRef, 'number' | 'hash' | 'timestamp'> {
  /** Whether nodes still confirm it. */
  readonly confirmed: boolean
}

/** Blocks that may be on their way: so many, for so long. */
const FEW_BLOCKS = 5
const SHORTLY_MS = 10_000
/** After so long without a new block that there is, an index is not late but failing. */
export const FAILING_AFTER_MS = 20_000
/** Commits of other processes are looked for so often, and more often while a caller waits for one. */
const POLL_MS = 1_000
const POLL_WHILE_WAITED_MS = 50

/**
 * What this process knows of one chain's index without asking: where it stands, how far the head is, and
 * what is wrong. Commits of this process are told to it, those of others it finds by reading one row.
 */
export class ChainIndex {
  readonly chainId: number
  readonly #source: 'rpc' | 'subgraph'
  readonly #head: () => SeenHead | undefined
  readonly #reader: Pick<ProjectionReader, 'indexState'>
  readonly #now: () => number
  readonly #failingAfterMs: number
  readonly #meter: BackfillMeter
  readonly #lateness = new Lateness()
  readonly #outage: Outage
  readonly #waiting = new Set<() => void>()
  readonly #pollNews = new News()
  readonly #stopped = new AbortController()
  #state: IndexState | undefined
  /** Of the indexState, so that an answer that was overtaken by a commit is told from a new one. */
  #version = 0
  #movedAtMs: number
  /** Before that, blocks between it and the head are not on their way but a past that was never read. */
  #wasAtHead = false
  #polling: Promise<void> | undefined
  /** How long the follower of this process has been failing; 0 where there is none. */
  #followerFailingMs: () => number = () => 0

  /** @param options.failingAfterMs how long the index may stand still before an answer says that it fails */
  constructor(options: {
    chainId: number
    firstBlock: number
    source: 'rpc' | 'subgraph'
    head: () => SeenHead | undefined
    reader: Pick<ProjectionReader, 'indexState'>
    log: Log
    failingAfterMs?: number
    now?: () => number
  }) {
    const { chainId, log } = options
    this.chainId = chainId
    this.#source = options.source
    this.#head = options.head
    this.#reader = options.reader
    this.#failingAfterMs = options.failingAfterMs ?? FAILING_AFTER_MS
    this.#now = options.now ?? (() => performance.now())
    this.#meter = new BackfillMeter(options.firstBlock)
    this.#outage = new Outage({ what: "reading the index's state", chainId, log, now: this.#now })
    this.#movedAtMs = this.#now()
  }

  /** Begins to look for commits of other processes. */
  start(): void {
    this.#polling ??= this.#poll()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#polling
  }

  /** Joins a follower of this process, whose failures are this index's. */
  follow(failingMs: () => number): void {
    this.#followerFailingMs = failingMs
  }

  /** The indexState was moved or given an alarm, by this process. */
  moved(indexState: IndexState): void {
    this.#version += 1
    this.#accept(indexState)
  }

  /** What an answer that was read at this indexState says of it. */
  position({ block }: IndexState): IndexPosition {
    const head = this.#head()
    this.#observe()
    return {
      blockNumber: block.number,
      timestamp: block.timestamp,
      lagSeconds: this.#lagSeconds(block),
      synced: head !== undefined && this.#isSynced(block, head),
    }
  }

  /** A sentence where the index is behind because nothing fills it; `null` otherwise. */
  failure(): string | null {
    this.#observe()
    const stillMs = this.#now() - this.#movedAtMs
    const followerMs = this.#followerFailingMs()
    const block = this.#state?.block
    if (block === undefined) {
      if (stillMs < this.#failingAfterMs) return null
      return `The index of chain ${this.chainId} has not begun: its source does not answer, or nothing fills it.`
    }
    const lateMs = Math.min(this.#lateness.ms(this.#now()), stillMs)
    const failingMs = Math.max(lateMs, Math.min(followerMs, stillMs))
    if (failingMs < this.#failingAfterMs) return null
    const seconds = Math.floor(failingMs / 1_000)
    return `The index of chain ${this.chainId} stands at block ${block.number} and could not be filled for ${seconds} s: later events may be missing.`
  }

  health(): IndexHealth {
    const block = this.#state?.block
    const failure = this.#unreadable() ?? this.failure()
    const position = this.#state && this.position(this.#state)
    return {
      source: this.#source,
      ok: failure === null,
      blockNumber: block?.number ?? null,
      lagSeconds: position?.lagSeconds ?? null,
      synced: position?.synced ?? false,
      backfill: this.#meter.progress(),
      alarm: this.#state?.alarm ?? failure,
    }
  }

  /** Whether the projection has come to this block within `timeoutMs`. */
  async reached(blockNumber: number, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#waitFor(({ block }) => block.number >= blockNumber, timeoutMs, signal)
  }

  /** Whether it has come to the head within `timeoutMs`. */
  async reachedHead(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#waitFor(() => this.#wasAtHead, timeoutMs, signal)
  }

  async #waitFor(
    isIt: (indexState: IndexState) => boolean,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const isThere = () => this.#state !== undefined && isIt(this.#state)
    if (isThere()) return true
    return new Promise((resolve) => {
      const look = () => {
        if (isThere()) finish()
      }
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        this.#waiting.delete(look)
        resolve(isThere())
      }
      const timer = setTimeout(finish, timeoutMs)
      signal?.addEventListener('abort', finish, { once: true })
      this.#waiting.add(look)
      this.#pollNews.ring()
      if (signal?.aborted) finish()
    })
  }

  #accept(indexState: IndexState): void {
    const isMove = indexState.block.hash !== this.#state?.block.hash
    this.#state = indexState
    if (isMove) this.#movedAtMs = this.#now()
    this.#observe()
    for (const look of [...this.#waiting]) look()
  }

  #observe(): void {
    const head = this.#head()
    if (head === undefined || this.#state === undefined) return
    const reached = reachedBy(this.#state.block, head)
    if (reached >= head.number) this.#wasAtHead = true
    this.#lateness.seen(reached, head.number, this.#now())
    this.#meter.seen(reached, head.number, this.#now())
  }

  #isSynced(block: BlockRef, head: SeenHead): boolean {
    const owed = head.number - reachedBy(block, head)
    const isNear = owed <= 0 || (this.#wasAtHead && owed <= FEW_BLOCKS)
    return head.confirmed && isNear && this.#lateness.ms(this.#now()) <= SHORTLY_MS
  }

  /** Before any head was seen, the wall's clock stands in for the chain's. */
  #lagSeconds(block: BlockRef): number {
    const timestamp = this.#head()?.timestamp ?? Math.floor(Date.now() / 1_000)
    return Math.max(0, timestamp - block.timestamp)
  }

  #unreadable(): string | null {
    if (this.#outage.lastedMs() === 0) return null
    return `The index of chain ${this.chainId} cannot be read: its store does not answer.`
  }

  /** Never rejects. */
  async #poll(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#pollOnce()
      const isWaited = this.#waiting.size > 0
      if (isWaited) await pause(POLL_WHILE_WAITED_MS)
      else await this.#pollNews.wait(POLL_MS, signal)
    }
  }

  async #pollOnce(): Promise<void> {
    const version = this.#version
    try {
      const indexState = await this.#reader.indexState(this.chainId)
      this.#outage.worked()
      if (indexState !== undefined && version === this.#version) this.#accept(indexState)
    } catch (error) {
      this.#outage.failed(error)
    }
  }
}

/** How far a block reaches towards the head: one that was reorganised away at its height is short of it. */
function reachedBy(block: BlockRef, head: SeenHead): number {
  return block.number === head.number && block.hash !== head.hash ? block.number - 1 : block.number
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
