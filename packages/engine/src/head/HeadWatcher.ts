import { BlockNotSeenError, UpstreamTimeoutError } from '../errors/chain.ts'
import type { ChainHealth } from '../ports/chains.ts'
import type { Log } from '../ports/log.ts'
import type { OpenSocket } from '../ports/nodes.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { pause, unref } from '../waiting/pause.ts'
import type { BlockHeader, Head } from './blockHeader.ts'
import { FreshestHead } from './FreshestHead.ts'
import { HeadPace } from './HeadPace.ts'
import { NewHeads } from './NewHeads.ts'

/** A head that no poll has confirmed for the time of so many polls is stale: the next read asks for it. */
const MOST_MISSED_POLLS = 3
/** On a fast chain three polls are less than one slow answer of a node. */
const SHORTEST_STALE_MS = 3_000
/** How long a read waits for a head, or for a newer one, before it fails. */
const MOST_WAIT_MS = 5_000
/** The pause between polls while somebody waits for a certain head: the wait ends this much late at most. */
const POLL_WHILE_WAITING_MS = 100
/** How old a head may be before `start()`, when no timer polls: calls that come together share it. */
const UNFOLLOWED_STALE_MS = 1_000
/** While blocks are announced, the chain is still asked this often: the announcer may be wrong. */
const CHECK_MS = 30_000
/** How long a node may need until it has the newest block that another node has. */
const CATCH_UP_MS = 300

/**
 * Follows a chain's head, the newest block: asks for it about once for each block, and reports when it stands still.
 *
 * A poll (`#poll`) asks the nodes; `FreshestHead` decides which of their blocks is the head, and `HeadPace` when the next poll
 * comes. Where a socket announces blocks (`NewHeads`), an announced block that follows the head is taken without a poll, and polls
 * only check now and then. Reads get the head from memory while it was confirmed lately, else they wait for a poll. While nobody
 * calls for long, the watcher is idle: it polls seldom and closes the sockets.
 */
export class HeadWatcher {
  readonly #rpc: Rpc
  readonly #pace: HeadPace
  readonly #newHeads: NewHeads | undefined
  readonly #log: Log
  readonly #onReorg: () => void
  readonly #isDevChain: boolean
  readonly #wallNow: () => number
  readonly #freshest: FreshestHead
  readonly #listeners = new Set<() => void>()
  /** When the head was last confirmed, by a poll or an announced block, and when by a poll: by `performance.now()`. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #polledAt = Number.NEGATIVE_INFINITY
  /** How long the first node took at the last poll. */
  #latencyMs: number | null = null
  /** What the last poll failed with; `undefined` if it did not. */
  #failure: unknown
  /** Whether the last poll brought no newer block: the pace then waits a little longer. */
  #cameTooSoon = false
  #hasToldStandstill = false
  #polling: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running = false
  #stopped = new AbortController()

  /**
   * @param options.pollMs how often the head is asked for until the time between blocks is known
   * @param options.isSteady keeps to `pollMs`; otherwise the head is asked for once for each block
   * @param options.idleAfterMs without a caller for so long, the head is asked for seldom; default never
   * @param options.headUrls WebSocket URLs that announce blocks
   * @param options.openSocket opens them; without it the head is only asked for
   * @param options.rollbackAfterMs how long no node may have the head before the chain counts as set back
   * @param options.isDevChain its blocks come on demand and may have any time; by default they do not
   * @param options.wallNow unix time in milliseconds; default the process's clock
   * @param options.onReorg called when a block that was the head is no longer on the chain
   */
  constructor(options: {
    rpc: Rpc
    pollMs: number
    isSteady?: boolean
    idleAfterMs?: number
    headUrls?: readonly string[]
    openSocket?: OpenSocket | undefined
    rollbackAfterMs: number
    isDevChain?: boolean
    wallNow?: () => number
    log: Log
    onReorg: () => void
  }) {
    const { rpc, rollbackAfterMs, isDevChain = false, wallNow = Date.now, log } = options
    this.#rpc = rpc
    this.#isDevChain = isDevChain
    this.#wallNow = wallNow
    const { pollMs, isSteady = true, idleAfterMs = Number.POSITIVE_INFINITY, headUrls: urls = [] } = options
    const { openSocket } = options
    this.#pace = new HeadPace({ pollMs, isSteady, idleAfterMs })
    const { chainId } = options.rpc
    const onHead = (header: BlockHeader) => this.#push(header)
    this.#newHeads = openSocket && new NewHeads({ urls, chainId, log, onHead, openSocket })
    this.#log = log
    this.#onReorg = options.onReorg
    this.#freshest = new FreshestHead({
      ...{ rpc, isDevChain, rollbackAfterMs, wallNow, log },
      isStill: () => this.#stillSeconds() !== undefined,
      onMoved: (head, isReorg) => this.#moved(head, isReorg),
    })
  }

  get #head(): Head | undefined {
    return this.#freshest.head
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#stopped = new AbortController()
    this.#pace.touch()
    this.#newHeads?.start()
    this.#tick()
  }

  stop(): void {
    this.#running = false
    this.#stopped.abort(new Error('the chain is no longer followed'))
    this.#newHeads?.stop()
    clearTimeout(this.#timer)
  }

  /** Whether nobody has called for `idleAfterMs`. */
  get isIdle(): boolean {
    return this.#pace.isIdle
  }

  /** Somebody wants to see new blocks soon, whether a caller is waiting or not. */
  touch(): void {
    const wasIdle = this.#pace.touch()
    if (!wasIdle || !this.#running) return
    this.#newHeads?.start()
    this.#tick()
  }

  /**
   * The head, as long as it was confirmed within MOST_MISSED_POLLS polls or SHORTEST_STALE_MS, whichever is
   * longer, and within UNFOLLOWED_STALE_MS before `start()`. Where it is older, or none has been seen yet, the chain is asked
   * now.
   *
   * Throws UpstreamError or UpstreamTimeoutError where the chain does not answer.
   */
  async current(): Promise<Head> {
    this.touch()
    return this.#notOlderThan(this.#staleMs)
  }

  /** The head, if `current` would give it without asking the chain. */
  fresh(): Head | undefined {
    this.touch()
    return this.#ageMs() > this.#staleMs ? undefined : this.#head
  }

  /**
   * The head for background work, which does not count as a caller. While nobody calls, it may be as old as MOST_MISSED_POLLS slow
   * polls.
   */
  async currentInBackground(): Promise<Head> {
    return this.#notOlderThan(staleMs(this.#pace.usualMs))
  }

  /** Asks the chain where the head is older. Throws what the poll failed with. */
  async #notOlderThan(mostMs: number): Promise<Head> {
    if (this.#head === undefined || this.#ageMs() > mostMs) {
      // While the timer polls in vain, a read fails at once with what the last poll failed with, instead of waiting for another.
      if (this.#running && this.#failure !== undefined) throw this.#failure
      await this.#withinWait(this.#poll())
      if (this.#head === undefined || this.#ageMs() > mostMs) throw this.#failure
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
      seen.hash !== gone.hash || (this.#freshest.isNamed && performance.now() >= catchUpAt)
    return this.#pollUntil(isWorthATry, gone, timeoutMs, () => this.current())
  }

  /** Calls back whenever the head has moved; returns how to stop that. */
  onHead(listener: () => void): () => void {
    // Wrapped, so that a listener that was added twice is called twice and can be removed once.
    const called = () => listener()
    this.#listeners.add(called)
    return () => this.#listeners.delete(called)
  }

  /** The head as it was last seen, however long ago. Never asks. */
  seen(): Head | undefined {
    return this.#head
  }

  health(): ChainHealth['rpc'] {
    const head = this.#head
    const seconds = this.#stillSeconds()
    return {
      ok: this.#failure === undefined && head !== undefined && this.#ageMs() <= staleMs(this.#pace.usualMs),
      blockNumber: head?.number ?? null,
      latencyMs: this.#latencyMs,
      headAgeSeconds: head === undefined || this.#isDevChain ? null : this.#secondsSince(head),
      alarm:
        head === undefined || seconds === undefined
          ? null
          : `The newest block that nodes of chain ${this.#rpc.chainId} give is block ${head.number}, which is ${seconds} s old.`,
    }
  }

  /** The age of the head where it is much older than blocks of this chain are; otherwise `undefined`. */
  #stillSeconds(): number | undefined {
    const head = this.#head
    if (head === undefined || this.#isDevChain) return undefined
    const seconds = this.#secondsSince(head)
    return seconds * 1_000 > this.#pace.stillMs ? seconds : undefined
  }

  #secondsSince({ timestamp }: Head): number {
    return Math.max(0, Math.floor(this.#wallNow() / 1_000) - timestamp)
  }

  /** Polls until the head is a wanted one, or until the time is over: then `otherwise` decides. */
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

  /** Polls now, and sets the timer for the next poll. */
  #tick(): void {
    clearTimeout(this.#timer)
    const begun = performance.now()
    this.#poll().then(() => {
      this.#reportStandstill()
      this.#schedule(this.#pace.nextMs(this.#cameTooSoon) - (performance.now() - begun))
    })
  }

  #schedule(restMs: number): void {
    if (!this.#running) return
    // While nobody calls, blocks need not be announced either.
    if (this.#pace.isIdle) this.#newHeads?.stop()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, restMs))
    // The timer must not keep the process alive.
    unref(this.#timer)
  }

  /** Takes an announced block as the head, without a poll, and puts the next poll off. */
  #push(header: BlockHeader): void {
    if (!this.#running) return
    // A block that does not follow the head is of a reorg, or comes after one that was missed. A poll shows which.
    if (!this.#freshest.take(header)) {
      if (this.#polling === undefined) this.#tick()
      return
    }
    const pushedAt = performance.now()
    this.#confirmedAt = pushedAt
    // A poll is under way. The next one follows when it ends, or by the timer that is set.
    if (this.#polling !== undefined) return
    // The next poll is a check: once no block was announced for so long that the head is stale, and every CHECK_MS in any case.
    const checkAt = this.#polledAt + CHECK_MS
    this.#schedule(Math.min(MOST_MISSED_POLLS * this.#pace.awakeMs, checkAt - pushedAt))
  }

  /** Never rejects: the failure is kept for the next read that needs the head. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async #pollOnce(): Promise<void> {
    const known = this.#head
    try {
      this.#latencyMs = await this.#freshest.ask(this.#stopped.signal)
      this.#confirmedAt = performance.now()
      this.#polledAt = this.#confirmedAt
      this.#failure = undefined
      this.#cameTooSoon = this.#head === known
    } catch (error) {
      this.#failure = error
      this.#cameTooSoon = false
    }
  }

  #moved(head: Head, isReorg: boolean): void {
    this.#pace.moved(head, isReorg)
    if (isReorg) {
      this.#log.warn('the chain was reorganised', { chainId: this.#rpc.chainId, blockNumber: head.number })
      this.#onReorg()
    }
    for (const listener of [...this.#listeners]) listener()
  }

  #reportStandstill(): void {
    const { alarm, blockNumber } = this.health()
    if (this.#hasToldStandstill === (alarm !== null)) return
    this.#hasToldStandstill = alarm !== null
    const facts = { chainId: this.#rpc.chainId, blockNumber }
    if (alarm === null) this.#log.info('The head moves again', facts)
    else this.#log.error(alarm, facts)
  }

  /** Throws UpstreamTimeoutError where the work takes longer than MOST_WAIT_MS. It is not ended by that. */
  async #withinWait(work: Promise<void>): Promise<void> {
    const timedOut = await Promise.race([work.then(() => false), pause(MOST_WAIT_MS).then(() => true)])
    if (timedOut) throw new UpstreamTimeoutError(this.#rpc.chainId)
  }

  get #staleMs(): number {
    return this.#running ? staleMs(this.#pace.awakeMs) : UNFOLLOWED_STALE_MS
  }

  #ageMs(): number {
    return performance.now() - this.#confirmedAt
  }
}

function staleMs(pollMs: number): number {
  return Math.max(MOST_MISSED_POLLS * pollMs, SHORTEST_STALE_MS)
}
