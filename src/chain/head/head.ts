import type { Log } from '../../core/log.ts'
import { BlockNotSeenError, UpstreamTimeoutError } from '../../errors/chain.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { BlockHeader, type Head } from './blockHeader.ts'
import { HeadRing, type Sighting } from './headRing.ts'

/** A head that nobody has confirmed for this many polls is not served without asking again. */
const MOST_MISSED_POLLS = 3
const SHORTEST_STALE_MS = 3_000
/** How long a read waits for a head that is not there or too old, before it fails by name. */
const MOST_WAIT_MS = 5_000
const POLL_WHILE_WAITING_MS = 100
/** How long a node that has not got the newest block yet may need to get it. */
const CATCH_UP_MS = 300

export interface HeadHealth {
  readonly ok: boolean
  readonly blockNumber: number | null
  readonly latencyMs: number | null
}

/**
 * Follows a chain's head. It never goes backwards but for a reorg.
 *
 * An older block of the same chain is a node that lags, and is ignored, for as long as that may be: behind one URL
 * there can be several nodes. Only where nothing but the one older block is told was the chain rolled back.
 */
export class HeadWatcher {
  readonly #rpc: Rpc
  readonly #pollMs: number
  readonly #log: Log
  readonly #onReorg: () => void
  readonly #ring: HeadRing
  readonly #listeners = new Set<() => void>()
  #head: Head | undefined
  #confirmedAt = Number.NEGATIVE_INFINITY
  #latencyMs: number | null = null
  #failure: unknown
  /** Of the last answer. */
  #sighting: Sighting | undefined
  #polling: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #running = false
  #stopped = new AbortController()

  /**
   * @param options.rollbackAfterMs how long nodes must insist on one older block before it is believed
   * @param options.onReorg a block that was a head before is no more
   */
  constructor(options: {
    rpc: Rpc
    pollMs: number
    rollbackAfterMs: number
    log: Log
    onReorg: () => void
  }) {
    this.#rpc = options.rpc
    this.#pollMs = options.pollMs
    this.#log = options.log
    this.#onReorg = options.onReorg
    this.#ring = new HeadRing({ rollbackAfterMs: options.rollbackAfterMs })
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#stopped = new AbortController()
    this.#tick()
  }

  stop(): void {
    this.#running = false
    this.#stopped.abort(new Error('the chain is no longer followed'))
    clearTimeout(this.#timer)
  }

  /**
   * The head, as long as it was confirmed within MOST_MISSED_POLLS polls or SHORTEST_STALE_MS, whichever is
   * longer. Where it is older, or none has been seen yet, the chain is asked now.
   *
   * Throws UpstreamError or UpstreamTimeoutError where the chain does not answer.
   */
  async current(): Promise<Head> {
    if (this.#head === undefined || this.#ageMs() > this.#staleMs()) {
      // While the watcher keeps asking a chain that does not answer, nobody needs to wait for that as well.
      if (this.#running && this.#failure !== undefined) throw this.#failure
      await this.#withinWait(this.#poll())
      if (this.#head === undefined || this.#ageMs() > this.#staleMs()) throw this.#failure
    }
    return this.#head
  }

  /** The head once it is `minBlock` or later. Throws BlockNotSeenError where that takes too long. */
  async waitFor(minBlock: number, timeoutMs = 2_000): Promise<Head> {
    const head = await this.current()
    return this.#pollUntil(
      (seen) => seen.number >= minBlock,
      head,
      timeoutMs,
      () => {
        throw BlockNotSeenError.minBlock(minBlock, this.#head?.number ?? head.number)
      },
    )
  }

  /**
   * The head to try next, after a node did not know `gone`: another one, or the same one again where nodes
   * still name it, because then only one of them was behind. Takes `timeoutMs` at most.
   */
  async refresh(gone: Head, timeoutMs = 1_500): Promise<Head> {
    const catchUpAt = performance.now() + CATCH_UP_MS
    const isWorthATry = (seen: Head) =>
      seen.hash !== gone.hash || (this.#sighting === 'same' && performance.now() >= catchUpAt)
    return this.#pollUntil(isWorthATry, gone, timeoutMs, () => this.current())
  }

  /** Calls back whenever the head has moved; returns how to stop that. */
  onHead(listener: () => void): () => void {
    // Wrapped, so that one that listens twice is called twice and stops once.
    const called = () => listener()
    this.#listeners.add(called)
    return () => this.#listeners.delete(called)
  }

  /** The head as it was last seen, however long ago; never asks. */
  seen(): Head | undefined {
    return this.#head
  }

  health(): HeadHealth {
    return {
      ok: this.#failure === undefined && this.#head !== undefined && this.#ageMs() <= this.#staleMs(),
      blockNumber: this.#head?.number ?? null,
      latencyMs: this.#latencyMs,
    }
  }

  async #pollUntil(
    isWanted: (head: Head) => boolean,
    head: Head,
    timeoutMs: number,
    otherwise: () => Promise<Head>,
  ): Promise<Head> {
    const deadline = performance.now() + timeoutMs
    if (isWanted(head)) return head
    for (;;) {
      await Promise.race([this.#poll(), pause(deadline - performance.now())])
      if (this.#head !== undefined && isWanted(this.#head)) return this.#head
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return otherwise()
      await pause(Math.min(POLL_WHILE_WAITING_MS, leftMs))
    }
  }

  #tick(): void {
    const begun = performance.now()
    this.#poll().then(() => {
      if (!this.#running) return
      const restMs = Math.max(0, this.#pollMs - (performance.now() - begun))
      this.#timer = setTimeout(() => this.#tick(), restMs)
      // Watching alone keeps no process alive.
      this.#timer.unref()
    })
  }

  /** Never rejects: what went wrong is kept for whoever needs the head. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async #pollOnce(): Promise<void> {
    const begun = performance.now()
    try {
      const seen = await this.#rpc.request('eth_getBlockByNumber', ['latest', false], BlockHeader, {
        signal: this.#stopped.signal,
      })
      this.#confirmedAt = performance.now()
      this.#latencyMs = Math.round(this.#confirmedAt - begun)
      this.#failure = undefined
      this.#accept({ ...seen, seenAt: this.#confirmedAt })
    } catch (error) {
      this.#failure = error
    }
  }

  #accept(seen: Head): void {
    const sighting = this.#ring.judge(seen, performance.now())
    this.#sighting = sighting
    if (sighting === 'lag' || sighting === 'same') return
    this.#head = seen
    if (sighting === 'reorg') {
      this.#log.warn('the chain was reorganised', { chainId: this.#rpc.chainId, blockNumber: seen.number })
      this.#onReorg()
    }
    for (const listener of [...this.#listeners]) listener()
  }

  async #withinWait(work: Promise<void>): Promise<void> {
    const timedOut = await Promise.race([work.then(() => false), pause(MOST_WAIT_MS).then(() => true)])
    if (timedOut) throw new UpstreamTimeoutError(this.#rpc.chainId)
  }

  #ageMs(): number {
    return performance.now() - this.#confirmedAt
  }

  #staleMs(): number {
    return Math.max(MOST_MISSED_POLLS * this.#pollMs, SHORTEST_STALE_MS)
  }
}

function pause(ms: number): Promise<void> {
  // A wait that lost its race keeps no process alive.
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref())
}
