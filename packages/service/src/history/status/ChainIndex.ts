import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { SourceProgress } from '@remit/engine/ports/source'
import type { IndexPosition } from '@remit/engine/schema/envelope'
import type { IndexHealth } from '@remit/engine/schema/health'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { Outage } from '../Outage.ts'
import type { IndexState, ProjectionReader } from '../projection.ts'
import { BackfillMeter, PlanLog } from './backfill.ts'

/** The chain's newest block as this process has seen it. */
export interface SeenHead extends Pick<BlockRef, 'number' | 'hash' | 'timestamp'> {
  /** Whether the nodes still confirm it. */
  readonly confirmed: boolean
}

// The tip is the last block that is indexed, the head the chain's newest block. A commit is a step of the index, or another change of the
// chain's row, that a process has written to the store.

/** An index that is this many blocks behind, for no longer than SHORTLY_MS, still counts as synced: they are about to come. */
const FEW_BLOCKS = 5
/** Enough for some blocks of a fast chain, or one of a slow one. */
const SHORTLY_MS = 10_000
/** An index that is behind and has not moved for this long counts as failing. */
export const FAILING_AFTER_MS = 20_000
/** How often the store is asked for commits of other processes, and how often while a caller waits for a block. */
const POLL_MS = 1_000
const POLL_WHILE_WAITED_MS = 50
/** Callers of `tip` within this time share one answer of the store, unless this process sees the index move meanwhile. */
const SHARED_MS = 5

interface ChainIndexOptions {
  readonly chainId: number
  readonly firstBlock: number
  readonly source: 'rpc' | 'subgraph'
  readonly head: () => SeenHead | undefined
  readonly reader: Pick<ProjectionReader, 'indexState'>
  readonly log: Log
  readonly failingAfterMs?: number
  readonly now?: () => number
}

/**
 * What this process knows about one chain's index: its tip, how far it is behind the head, and what is wrong. The
 * follower of this process reports its commits. Commits of other processes are found by polling the chain's row.
 */
export class ChainIndex {
  readonly #options: Required<ChainIndexOptions>
  readonly chainId: number
  readonly #meter: BackfillMeter
  readonly #planLog: PlanLog
  readonly #unreached = new UnreachedHeads()
  readonly #outage: Outage
  /** Called after each change of the state, for callers who wait for one. */
  readonly #waiting = new Set<() => void>()
  readonly #pollAtOnce = new Notifier()
  readonly #stopped = new AbortController()
  #state: IndexState | undefined
  /** Grows with each commit of this process. An answer of the store that was asked for before such a commit may be older, and is dropped. */
  #version = 0
  /** When the tip last changed; at first, when this was made. */
  #movedAtMs: number
  /** Whether the index has reached the head once. Until then, missing blocks are a past that was never read. */
  #wasAtHead = false
  #polling: Promise<void> | undefined
  /** The last answer of the store that `tip` gave, and when it was asked for. */
  #read: { readonly at: number; readonly row: Promise<IndexState | undefined> } | undefined
  /** For how long the follower of this process has been failing, in milliseconds; 0 if it works, or there is none. */
  #followerFailingMs: () => number = () => 0

  /** @param options.failingAfterMs how long the index may stand still before answers say that it fails */
  constructor(options: ChainIndexOptions) {
    this.#options = { now: () => performance.now(), failingAfterMs: FAILING_AFTER_MS, ...options }
    const { chainId, log } = options
    this.chainId = chainId
    this.#meter = new BackfillMeter(options.firstBlock)
    this.#planLog = new PlanLog({ chainId, log, now: this.#options.now })
    this.#outage = new Outage({ what: "reading the index's state", chainId, log, now: this.#options.now })
    this.#movedAtMs = this.#options.now()
  }

  /** Starts polling for commits of other processes. */
  start(): void {
    this.#polling ??= this.#poll()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#polling
  }

  /** Takes the function that tells how long the follower of this process has been failing. */
  follow(failingMs: () => number): void {
    this.#followerFailingMs = failingMs
  }

  /** This process has committed a step or an alarm. Approvals and look-ups, which have commits of their own, show by polling. */
  moved(indexState: Omit<IndexState, 'approvalsReadTo' | 'providersChecked'>): void {
    this.#version += 1
    const { approvalsReadTo = null, providersChecked = 0 } = this.#state ?? {}
    this.#accept({ approvalsReadTo, providersChecked, ...indexState })
  }

  /**
   * The state as the store has it, or had it within the last SHARED_MS. `undefined` where the index has not begun. Rejects with what
   * the store throws.
   * @param isFresh asks the store in any case
   */
  tip(isFresh: boolean): Promise<IndexState | undefined> {
    const known = this.#read
    const now = this.#options.now()
    if (known !== undefined && now - known.at < SHARED_MS && !isFresh) return known.row
    const row = this.#options.reader.indexState(this.chainId)
    this.#read = { at: now, row }
    row.catch(() => {
      if (this.#read?.row === row) this.#read = undefined
    })
    return row
  }

  /** The source of this process has answered what comes after `block`. */
  answered(block: BlockRef, { headNumber, blocksPerRequest }: SourceProgress): void {
    if (blocksPerRequest === undefined) return
    this.#meter.asks(blocksPerRequest)
    this.#planLog.answered(headNumber - block.number, blocksPerRequest)
  }

  /** What an answer of the API says about the state of the index that it was read at. */
  position({ block }: IndexState): IndexPosition {
    const head = this.#options.head()
    this.#observe()
    return {
      blockNumber: block.number,
      timestamp: block.timestamp,
      lagSeconds: this.#lagSeconds(block),
      synced: head !== undefined && this.#isSynced(block, head),
    }
  }

  /** A sentence if the index is behind because nothing fills it; `null` otherwise. */
  failure(): string | null {
    this.#observe()
    const stillMs = this.#options.now() - this.#movedAtMs
    const followerMs = this.#followerFailingMs()
    const block = this.#state?.block
    if (block === undefined) {
      if (stillMs < this.#options.failingAfterMs) return null
      return `The index of chain ${this.chainId} has not begun: its source does not answer, or nothing fills it.`
    }
    // It is behind, or its follower fails. An index that moves all the same does not fail, however far behind it is.
    const troubledMs = Math.max(this.#unreached.ms(this.#options.now()), followerMs)
    const failingMs = Math.min(troubledMs, stillMs)
    if (failingMs < this.#options.failingAfterMs) return null
    const seconds = Math.floor(failingMs / 1_000)
    return `The index of chain ${this.chainId} stands at block ${block.number} and could not be filled for ${seconds} s: later events may be missing.`
  }

  /** For `/status`. */
  health(): IndexHealth {
    const block = this.#state?.block
    const failure = this.#unreadable() ?? this.failure()
    const position = this.#state && this.position(this.#state)
    return {
      source: this.#options.source,
      ok: failure === null,
      blockNumber: block?.number ?? null,
      lagSeconds: position?.lagSeconds ?? null,
      synced: position?.synced ?? false,
      backfill: this.#meter.progress(),
      approvals: this.#approvals(),
      alarm: this.#state?.alarm ?? failure,
    }
  }

  /** How far the approvals of the past are read; `null` where all are. */
  #approvals(): IndexHealth['approvals'] {
    const readTo = this.#state?.approvalsReadTo ?? null
    if (this.#state === undefined || readTo === null) return null
    const toBlock = this.#state.block.number
    const blocks = toBlock - this.#options.firstBlock + 1
    const share = blocks <= 0 ? 1 : Math.max(0, readTo - this.#options.firstBlock + 1) / blocks
    return {
      fromBlock: this.#options.firstBlock,
      toBlock,
      blockNumber: readTo,
      percent: Math.min(100, Math.floor(share * 10_000) / 100),
    }
  }

  /** Waits up to `timeoutMs`, or until the signal aborts. Tells whether the index has reached this block by then. */
  async reached(blockNumber: number, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#waitFor(({ block }) => block.number >= blockNumber, timeoutMs, signal)
  }

  /** Waits up to `timeoutMs`, or until the signal aborts. Tells whether the index has been at the head once. */
  async reachedHead(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#waitFor(() => this.#wasAtHead, timeoutMs, signal)
  }

  async #waitFor(
    isReached: (indexState: IndexState) => boolean,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const isThere = () => this.#state !== undefined && isReached(this.#state)
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
      this.#pollAtOnce.notify()
      if (signal?.aborted) finish()
    })
  }

  #accept(indexState: IndexState): void {
    const isMove = indexState.block.hash !== this.#state?.block.hash
    this.#state = indexState
    this.#read = undefined
    if (isMove) this.#movedAtMs = this.#options.now()
    this.#observe()
    for (const look of [...this.#waiting]) look()
  }

  /** Notes how far the index is behind the head now. */
  #observe(): void {
    const head = this.#options.head()
    if (head === undefined || this.#state === undefined) return
    const reached = reachedBy(this.#state.block, head)
    if (reached >= head.number) this.#wasAtHead = true
    this.#unreached.seen(reached, head.number, this.#options.now())
    this.#meter.seen(reached, head.number, this.#options.now())
  }

  #isSynced(block: BlockRef, head: SeenHead): boolean {
    const missing = head.number - reachedBy(block, head)
    const isNear = missing <= 0 || (this.#wasAtHead && missing <= FEW_BLOCKS)
    return head.confirmed && isNear && this.#unreached.ms(this.#options.now()) <= SHORTLY_MS
  }

  /** Before the first head is seen, the wall clock is used instead of the chain's. */
  #lagSeconds(block: BlockRef): number {
    const timestamp = this.#options.head()?.timestamp ?? Math.floor(Date.now() / 1_000)
    return Math.max(0, timestamp - block.timestamp)
  }

  /** A sentence while the store cannot be read; `null` otherwise. */
  #unreadable(): string | null {
    if (this.#outage.lastedMs() === 0) return null
    return `The index of chain ${this.chainId} cannot be read: its store does not answer.`
  }

  /** Never rejects. */
  async #poll(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#pollOnce()
      const callerWaits = this.#waiting.size > 0
      if (callerWaits) await sleep(POLL_WHILE_WAITED_MS)
      else await this.#pollAtOnce.wait(POLL_MS, signal)
    }
  }

  async #pollOnce(): Promise<void> {
    const version = this.#version
    try {
      const indexState = await this.#options.reader.indexState(this.chainId)
      this.#outage.worked()
      if (indexState !== undefined && version === this.#version) this.#accept(indexState)
    } catch (error) {
      this.#outage.failed(error)
    }
  }
}

/** The number of the index's block; one less where it is at the head's height but is another block, which has been replaced. */
function reachedBy(block: BlockRef, head: SeenHead): number {
  return block.number === head.number && block.hash !== head.hash ? block.number - 1 : block.number
}

/** How many unreached heads are kept. Only the oldest is told; once it is reached, the next one is. */
const MOST_HEADS = 64

/** How long the index has been behind: since the oldest head that it has not reached was first seen. */
export class UnreachedHeads {
  /** The heads that the index has not reached, oldest first, with the time of their first sighting. */
  readonly #missing: { readonly number: number; readonly atMs: number }[] = []

  /** Takes note of the index's tip and the chain's head. `atMs` may be of any clock, but always of the same. */
  seen(blockNumber: number, headNumber: number, atMs: number): void {
    while ((this.#missing[0]?.number ?? Number.POSITIVE_INFINITY) <= blockNumber) this.#missing.shift()
    // The chain was rolled back: blocks that are gone are not missing.
    while ((this.#missing.at(-1)?.number ?? 0) > headNumber) this.#missing.pop()
    const newest = this.#missing.at(-1)?.number ?? blockNumber
    if (headNumber <= newest) return
    // Drops the second oldest. Then the one after it counts once the oldest is reached, which makes the delay look shorter at most.
    if (this.#missing.length >= MOST_HEADS) this.#missing.splice(1, 1)
    this.#missing.push({ number: headNumber, atMs })
  }

  /** How many milliseconds ago the oldest missing head was first seen; 0 if none is missing. */
  ms(nowMs: number): number {
    const [oldest] = this.#missing
    return oldest === undefined ? 0 : nowMs - oldest.atMs
  }
}
