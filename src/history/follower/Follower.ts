import type { Hex } from 'viem'
import type { BlockRef } from '../../core/history.ts'
import type { Log } from '../../core/log.ts'
import type { ChainNode } from '../../core/node.ts'
import { StoreError } from '../../store/StoreError.ts'
import type { Audit } from '../audits/createAudit.ts'
import { News } from '../News.ts'
import { Outage } from '../Outage.ts'
import {
  type ChainIdentity,
  type Lease,
  LeaseLostError,
  type ProjectionReader,
  type ProjectionWriter,
} from '../projection.ts'
import type { EventSource, Step } from '../source.ts'
import type { ChainIndex } from '../status/ChainIndex.ts'
import { AlarmBell } from './AlarmBell.ts'
import { Backoff } from './Backoff.ts'
import { HeldLease } from './HeldLease.ts'
import { readTerms } from './readTerms.ts'

/** How long a holder that is heard of no more keeps others from taking over. */
const LEASE_MS = 10_000
/** How often another process asks whether the lease is free. */
const STAND_BY_MS = 250
/** Without news, a source is asked this often all the same. */
const IDLE_MS = 2_000
/** A holder that fails for so long lets others try: they may reach what it cannot. */
const YIELD_AFTER_MS = 30_000

type Projection = ProjectionWriter & Pick<ProjectionReader, 'indexState'>

/**
 * Fills one chain's projection from its source, as long as this process holds the chain's lease; otherwise
 * stands by to take it over. Failures are waited out and never end it, but for a store of another chain.
 */
export class Follower {
  readonly #chainId: number
  readonly #identity: Omit<ChainIdentity, 'genesisHash'>
  readonly #source: EventSource
  readonly #node: ChainNode
  readonly #projection: Projection
  readonly #index: ChainIndex
  readonly #holder: string
  readonly #leaseMs: number
  readonly #yieldAfterMs: number
  readonly #audit: Audit
  readonly #log: Log
  readonly #news = new News()
  readonly #outage: Outage
  readonly #backoff = new Backoff()
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #stoodBy = false
  /** Asked again after anything went wrong: at the same URL there may be another chain by then. */
  #genesisHash: Hex | undefined
  #fail: (error: StoreError) => void = () => {}
  /** Resolves where the store turns out to hold another chain: nothing will ever be right then. */
  readonly failed: Promise<StoreError>

  /**
   * @param options.holder names this process among all that share the store
   * @param options.leaseMs default 10 s
   * @param options.yieldAfterMs default 30 s
   */
  constructor(options: {
    contract: ChainIdentity['contract']
    firstBlock: number
    source: EventSource
    node: ChainNode
    projection: Projection
    index: ChainIndex
    holder: string
    leaseMs?: number
    yieldAfterMs?: number
    audit: Audit
    log: Log
  }) {
    const { source, node, projection, index, holder, log, contract, firstBlock } = options
    const { chainId } = node
    this.#chainId = chainId
    this.#identity = { chainId, contract, firstBlock }
    this.#source = source
    this.#node = node
    this.#projection = projection
    this.#index = index
    this.#holder = holder
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#yieldAfterMs = options.yieldAfterMs ?? YIELD_AFTER_MS
    this.#audit = options.audit
    this.#log = log
    this.#outage = new Outage({ what: 'the index', chainId, log })
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
    index.follow(() => this.#outage.lastedMs())
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends after the step that is being written, and releases the lease. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the index is no longer filled here'))
    await this.#running
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#stopped
    const silence = this.#source.onNews(() => this.#news.ring())
    while (!signal.aborted) {
      try {
        const lease = await this.#take(signal)
        if (lease === undefined) await pause(STAND_BY_MS, signal)
        else await this.#hold(lease)
        // A yielded lease is free for the others to take, who look for it so often.
        if (lease !== undefined) await pause(2 * STAND_BY_MS, signal)
      } catch (error) {
        if (signal.aborted) break
        this.#genesisHash = undefined
        if (error instanceof StoreError) {
          this.#log.error(error.message, { chainId: this.#chainId })
          this.#fail(error)
          break
        }
        if (error instanceof LeaseLostError) {
          this.#log.warn('another process fills the index now', { chainId: this.#chainId })
        } else {
          this.#outage.failed(error)
          await pause(this.#backoff.nextMs(), signal)
        }
      }
    }
    silence()
  }

  async #take(signal: AbortSignal): Promise<Lease | undefined> {
    // Who stands by shall not ask the chain four times a second.
    this.#genesisHash ??= await this.#node.genesisHash(signal)
    const identity = { ...this.#identity, genesisHash: this.#genesisHash }
    const origin = () => this.#source.origin(signal)
    const lease = await this.#projection.take(
      identity,
      this.#source.kind,
      origin,
      this.#holder,
      this.#leaseMs,
    )
    if (lease === undefined) {
      // Standing by is working as well.
      this.#worked()
      this.#stoodBy = true
    } else if (this.#stoodBy) {
      this.#stoodBy = false
      this.#log.info('this process fills the index now', { chainId: this.#chainId, epoch: lease.epoch })
    }
    return lease
  }

  /** Fills the projection until the lease is lost (then it throws), yielded, or this follower is stopped. */
  async #hold(lease: Lease): Promise<void> {
    const held = new HeldLease({ lease, leaseMs: this.#leaseMs, writer: this.#projection })
    try {
      await this.#fill(lease, AbortSignal.any([this.#stopped.signal, held.lost]))
    } catch (error) {
      await held.drop()
      throw held.lost.aborted ? held.lost.reason : error
    }
    await held.release()
  }

  async #fill(lease: Lease, signal: AbortSignal): Promise<void> {
    const bell = new AlarmBell({
      lease,
      audit: this.#audit,
      onFound: () => this.#news.ring(),
      projection: this.#projection,
      index: this.#index,
      log: this.#log,
    })
    while (!signal.aborted) {
      try {
        const isIdle = await this.#advance(lease, bell, signal)
        this.#worked()
        if (!isIdle) continue
        bell.audit(signal)
        await this.#news.wait(IDLE_MS, signal)
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof LeaseLostError) throw error
        this.#outage.failed(error)
        await pause(this.#backoff.nextMs(), signal)
        if (this.#outage.lastedMs() > this.#yieldAfterMs) break
      }
    }
    if (!this.#stopped.signal.aborted) signal.throwIfAborted()
  }

  /** One move, if there is one to make; says whether there was none. */
  async #advance(lease: Lease, bell: AlarmBell, signal: AbortSignal): Promise<boolean> {
    const tip = await this.#projection.tip(this.#chainId)
    const next = await this.#source.next(tip, signal)
    if (next.kind === 'step') await this.#write(lease, tip.block, next.step, bell, signal)
    await bell.heard(next.progress.alarm)
    return next.kind === 'idle'
  }

  async #write(
    lease: Lease,
    from: BlockRef,
    step: Step,
    bell: AlarmBell,
    signal: AbortSignal,
  ): Promise<void> {
    const terms = await readTerms(this.#node, step, signal)
    signal.throwIfAborted()
    await this.#projection.apply(lease, from, step, terms, this.#leaseMs)
    const { to: block, finalizedBlock } = step
    this.#index.moved({ block, finalizedBlock, alarm: bell.alarm, source: this.#source.kind })
  }

  #worked(): void {
    this.#outage.worked()
    this.#backoff.reset()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new News().wait(ms, signal)
}
