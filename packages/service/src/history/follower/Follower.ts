import { FactReader } from '@remit/engine/indexing/events/FactReader'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource, SourceAnswer, Step } from '@remit/engine/ports/source'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import type { Hex } from 'viem'
import { unwatchedWork, type Work } from '../../ports/telemetry.ts'
import { StoreError } from '../../store/StoreError.ts'
import type { Audit } from '../audits/audits.ts'
import { Outage } from '../Outage.ts'
import {
  type ChainIdentity,
  type Lease,
  LeaseLostError,
  type ProjectionReader,
  type ProjectionWriter,
} from '../projection.ts'
import type { ChainIndex } from '../status/ChainIndex.ts'
import { HeldLease } from './HeldLease.ts'
import { IndexAlarm } from './IndexAlarm.ts'

// A step is the unit of progress: the source, asked what comes after the index's tip, gives some new blocks with their events, and they
// are written in one transaction. The lease is the right of one process at a time to write a chain's index (`projection.ts`).

/** How long the lease of a process that has died keeps others from taking over. */
const LEASE_MS = 10_000
/** How often a process that stands by tries to take the lease. */
const STAND_BY_MS = 250
/** Without a new head, the source is still asked this often. */
const IDLE_MS = 2_000
/** The waits before the next try after a failure: short enough that events flow within fifteen seconds of an outage's end. */
const RETRY = { firstMs: 200, mostMs: 10_000 }
/** The waits before a node that lags is asked again. */
const LAG = { firstMs: 100, mostMs: IDLE_MS }
/** A holder that fails for this long gives the lease up: another process may reach what it cannot. */
const YIELD_AFTER_MS = 30_000

type Projection = ProjectionWriter & Pick<ProjectionReader, 'indexState'>

/** Work that the holder of a lease does between steps. */
interface LeasedWork {
  /** Runs until the signal aborts or the lease is lost. Never rejects. */
  run(lease: Lease, signal: AbortSignal): Promise<void>
  /** A step was written: there may be something to do. */
  stepWritten(): void
}

interface FollowerOptions {
  readonly contract: ChainIdentity['contract']
  readonly firstBlock: number
  readonly source: EventSource
  readonly nodes: ChainNodes
  readonly projection: Projection
  readonly index: ChainIndex
  readonly holder: string
  readonly leaseMs?: number
  readonly yieldAfterMs?: number
  readonly audit: Audit
  /** Work beside the steps, such as the sweep of verdicts. */
  readonly whileLeased?: readonly LeasedWork[]
  readonly log: Log
  /** Is told of each turn of the loop, so that a process whose index is stuck shows as not ready. */
  readonly work?: Work
}

/**
 * Fills one chain's index from its source while this process holds the chain's lease, step after step. Meanwhile other work runs under
 * the same lease (`whileLeased`). Without the lease it stands by to take it. After a failure it tries again, and after a long one lets
 * another process try; only a store of another chain ends it. A step is written completely or not at all, so a kill loses nothing.
 */
export class Follower {
  readonly #options: Required<FollowerOptions>
  readonly #chainId: number
  readonly #identity: Omit<ChainIdentity, 'genesisHash'>
  readonly #facts: FactReader
  readonly #news = new Notifier()
  readonly #outage: Outage
  readonly #retry = new Backoff(RETRY)
  readonly #lag = new Backoff(LAG)
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  /** Whether another process held the lease when it was last asked for. */
  #stoodBy = false
  /** Read again after each failure: the same URL may serve another chain by then. */
  #genesisHash: Hex | undefined
  #fail: (error: StoreError) => void = () => {}
  /** Resolves if the store turns out to hold another chain. The follower has ended then. */
  readonly failed: Promise<StoreError>

  /**
   * @param options.holder the name of this process, unique among all that share the store
   * @param options.leaseMs default 10 s
   * @param options.yieldAfterMs default 30 s
   */
  constructor(options: FollowerOptions) {
    this.#options = {
      leaseMs: LEASE_MS,
      yieldAfterMs: YIELD_AFTER_MS,
      whileLeased: [],
      work: unwatchedWork,
      ...options,
    }
    const { nodes, index, log, contract, firstBlock } = options
    const { chainId } = nodes
    this.#chainId = chainId
    this.#identity = { chainId, contract, firstBlock }
    this.#facts = new FactReader(nodes)
    this.#outage = new Outage({ what: 'the index', chainId, log })
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
    index.follow(() => this.#outage.lastedMs())
  }

  start(): void {
    if (this.#running !== undefined) return
    this.#options.work.turned()
    this.#running = this.#run()
  }

  /** Ends after the step that is being written, and releases the lease. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the index is no longer filled here'))
    await this.#running
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#stopped
    const unsubscribe = this.#options.source.onNews(() => this.#news.notify())
    while (!signal.aborted) {
      try {
        const lease = await this.#take(signal)
        if (lease === undefined) {
          await pause(STAND_BY_MS, signal)
          continue
        }
        await this.#hold(lease)
        // The lease was given up, after a long outage or at the end: a process that stands by has time to take it.
        await pause(2 * STAND_BY_MS, signal)
      } catch (error) {
        if (signal.aborted) break
        this.#genesisHash = undefined
        if (error instanceof StoreError) {
          this.#options.log.error(error.message, { chainId: this.#chainId })
          this.#fail(error)
          break
        }
        if (error instanceof LeaseLostError) {
          this.#options.log.warn('another process fills the index now', { chainId: this.#chainId })
        } else {
          this.#failed(error)
          await pause(this.#retry.nextMs(), signal)
        }
      }
    }
    unsubscribe()
  }

  /** `undefined` while another process holds the lease. */
  async #take(signal: AbortSignal): Promise<Lease | undefined> {
    // Cached, so that a process that stands by does not ask the chain four times a second.
    this.#genesisHash ??= await this.#options.nodes.genesisHash(signal)
    const identity = { ...this.#identity, genesisHash: this.#genesisHash }
    const origin = () => this.#options.source.origin(signal)
    const lease = await this.#options.projection.take(
      identity,
      this.#options.source.kind,
      origin,
      this.#options.holder,
      this.#options.leaseMs,
    )
    if (lease === undefined) {
      // Standing by is no failure.
      this.#worked()
      this.#stoodBy = true
    } else if (this.#stoodBy) {
      this.#stoodBy = false
      this.#options.log.info('this process fills the index now', {
        chainId: this.#chainId,
        epoch: lease.epoch,
      })
    }
    return lease
  }

  /** Fills the index until the lease is given up or this follower is stopped. Throws if the lease is lost. */
  async #hold(lease: Lease): Promise<void> {
    const held = new HeldLease({ lease, leaseMs: this.#options.leaseMs, writer: this.#options.projection })
    const ended = new AbortController()
    const signal = AbortSignal.any([this.#stopped.signal, held.lost])
    const working = this.#options.whileLeased.map((work) =>
      work.run(lease, AbortSignal.any([signal, ended.signal])),
    )
    try {
      await this.#fill(lease, signal)
    } catch (error) {
      await held.drop()
      throw held.lost.aborted ? held.lost.reason : error
    } finally {
      ended.abort(new Error('the lease is given up'))
      await Promise.all(working)
    }
    await held.release()
  }

  /** Writes step after step. Returns when stopped, or after so long an outage that the lease is to be given up. */
  async #fill(lease: Lease, signal: AbortSignal): Promise<void> {
    const alarm = new IndexAlarm({
      lease,
      audit: this.#options.audit,
      onAudited: () => this.#news.notify(),
      projection: this.#options.projection,
      index: this.#options.index,
      log: this.#options.log,
    })
    while (!signal.aborted) {
      try {
        const next = await this.#advance(lease, alarm, signal)
        this.#worked()
        // `soon`: a node lags, and has an answer in a moment.
        const isSoon = next.kind === 'idle' && next.soon
        if (!isSoon) this.#lag.reset()
        if (next.kind === 'step') continue
        alarm.startAudit(signal)
        await this.#news.wait(isSoon ? this.#lag.nextMs() : IDLE_MS, signal)
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof LeaseLostError) throw error
        this.#failed(error)
        await pause(this.#retry.nextMs(), signal)
        if (this.#outage.lastedMs() > this.#options.yieldAfterMs) break
      }
    }
    // Aborted though the follower is not stopped: the lease was lost.
    if (!this.#stopped.signal.aborted) signal.throwIfAborted()
  }

  /** Asks the source for the next step, and writes it if there is one. */
  async #advance(lease: Lease, alarm: IndexAlarm, signal: AbortSignal): Promise<SourceAnswer> {
    const tip = await this.#options.projection.tip(this.#chainId)
    const next = await this.#options.source.next(tip, signal)
    this.#options.index.answered(tip.block, next.progress)
    if (next.kind === 'step') await this.#write(lease, tip.block, next.step, alarm, signal)
    await alarm.setOfSource(next.progress.alarm)
    return next
  }

  async #write(
    lease: Lease,
    from: BlockRef,
    step: Step,
    alarm: IndexAlarm,
    signal: AbortSignal,
  ): Promise<void> {
    const facts = await this.#facts.read(step, signal)
    signal.throwIfAborted()
    await this.#options.projection.apply(lease, from, step, facts, this.#options.leaseMs)
    const { to: block, finalizedBlock } = step
    this.#options.index.moved({
      block,
      finalizedBlock,
      alarm: alarm.alarm,
      source: this.#options.source.kind,
    })
    for (const work of this.#options.whileLeased) work.stepWritten()
  }

  #failed(error: unknown): void {
    this.#outage.failed(error)
    this.#options.work.turned()
  }

  #worked(): void {
    this.#outage.worked()
    this.#options.work.worked()
    this.#retry.reset()
  }
}

/** The wait before the next try: twice as long each time, with a random part so that many tasks do not retry together. */
class Backoff {
  readonly #firstMs: number
  readonly #mostMs: number
  #failures = 0

  constructor(options: { firstMs: number; mostMs: number }) {
    this.#firstMs = options.firstMs
    this.#mostMs = options.mostMs
  }

  nextMs(): number {
    const ms = Math.min(this.#mostMs, this.#firstMs * 2 ** this.#failures)
    this.#failures += 1
    return ms * (0.5 + Math.random() / 2)
  }

  reset(): void {
    this.#failures = 0
  }
}
