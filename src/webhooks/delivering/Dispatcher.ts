import type { EventType } from '../../core/ports/events.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Store } from '../../store/openStore.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import { secretsOf } from '../endpoints/endpointSecrets.ts'
import { isDelivered } from '../Outcome.ts'
import type { Sender } from '../sending/Sender.ts'
import type { ServiceKey } from '../signing/ServiceKey.ts'
import { signedHeaders } from '../signing/signatures.ts'
import type { Attempt, TurnResult } from './judgeTurn.ts'
import { type Leases, shardName } from './Leases.ts'
import { Results } from './Results.ts'
import { FAILURES_TO_PAUSE, type Retries } from './retries.ts'
import { takeWork, type WaitingDelivery, type Work, type WorkingEndpoint } from './takeWork.ts'

interface DispatcherOptions {
  readonly store: Store
  readonly box: SecretBox
  readonly serviceKey: ServiceKey
  readonly sender: Sender
  readonly leases: Leases
  readonly retries: Retries
  readonly userAgent: string
  readonly log: Log
  readonly leaseMs: number
  /** Hears of each turn. */
  readonly onTurn?: (result: TurnResult) => void
  readonly now?: () => number
}

/** Endpoints that are sent to at the same time, as long as they answer quickly. */
const MOST_QUICK = 256
/** Endpoints beside those that have failed, or take longer than `SLOW_MS`. They hold up nobody but each other. */
const MOST_SLOW = 1_024
const SLOW_MS = 1_000
/** Requests to one endpoint at the same time, each of another queue. */
const MOST_REQUESTS = 4
const RETRACTED: EventType = 'retracted'
/** At most a hundred requests a second begin for one endpoint. */
const LEAST_GAP_MS = 10

/** Sends what waits: turn by turn of an endpoint, many endpoints at a time. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #results: Results
  readonly #now: () => number
  readonly #turns = new Map<string, { readonly shard: number; readonly done: Promise<void> }>()
  readonly #slow = new Set<string>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#results = new Results(options.store, options.retries, this.#now)
  }

  /** Begins turns of endpoints that have something to be sent. Resolves with how many. */
  async dispatch(onDone: () => void): Promise<number> {
    const { store, leases, leaseMs } = this.#options
    const room = MOST_QUICK - (this.#turns.size - this.#slow.size)
    const work = await takeWork(store, {
      shards: leases.shards(),
      most: room,
      failing: this.#slow.size < MOST_SLOW,
      now: this.#now(),
      // Turns end meanwhile, and begin only here.
      except: [...this.#turns.keys()],
      claimMs: leaseMs,
    })
    for (const one of work) this.#begin(one, onDone)
    return work.length
  }

  isIdle(shard: number): boolean {
    return ![...this.#turns.values()].some((turn) => turn.shard === shard)
  }

  /** Endpoints that are being sent to. */
  get sending(): { readonly quick: number; readonly slow: number } {
    return { quick: this.#turns.size - this.#slow.size, slow: this.#slow.size }
  }

  /** Resolves when every turn has ended and is written down. */
  async settled(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ done }) => done))
  }

  #begin(work: Work, onDone: () => void): void {
    const { id, shard, failures } = work.endpoint
    if (failures > 0) this.#slow.add(id)
    const done = this.#turn(work)
      .catch((error: unknown) => {
        // Nothing was written, so all of it is sent again after `claimMs`.
        if (error instanceof SealedError) {
          this.#options.log.warn('The secret of a webhook cannot be opened', { id, reason: error.message })
          return
        }
        const reason = error instanceof Error ? error.name : 'unknown'
        this.#options.log.warn('A turn of a webhook was not written down', { id, reason })
      })
      .finally(() => {
        this.#turns.delete(id)
        this.#slow.delete(id)
        onDone()
      })
    this.#turns.set(id, { shard, done })
  }

  async #turn({ endpoint, deliveries }: Work): Promise<void> {
    const { leases, log, onTurn } = this.#options
    const signal = leases.signalOf(shardName(endpoint.shard))
    const attempts: Attempt[] = []
    if (signal !== undefined) {
      const slowly = setTimeout(() => {
        if (this.#slow.size < MOST_SLOW) this.#slow.add(endpoint.id)
      }, SLOW_MS)
      await this.#sendAll(endpoint, deliveries, signal, attempts).finally(() => clearTimeout(slowly))
    }
    const result = await this.#results.write({ endpoint, attempts })
    onTurn?.(result)
    if (result.paused !== undefined) {
      log.warn('A webhook was paused', { id: endpoint.id, reason: result.paused })
    }
  }

  /** Sends each queue in its order, and several queues at a time where the endpoint is well. */
  async #sendAll(
    endpoint: WorkingEndpoint,
    deliveries: readonly WaitingDelivery[],
    signal: AbortSignal,
    attempts: Attempt[],
  ): Promise<void> {
    const queues = new Map<string, WaitingDelivery[]>()
    for (const one of deliveries) queues.set(one.queue, [...(queues.get(one.queue) ?? []), one])
    const waiting = [...queues.values()]
    const { privateKey } = await this.#options.serviceKey.get()
    const secrets = secretsOf(this.#options.box, endpoint, this.#now())
    let failures = endpoint.failures
    let isOver = false
    let nextStart = 0
    // A turn ends before its claim does: a claim that has run out looks like work that no process does. A short turn also sends
    // less twice after a kill.
    const lastStart = performance.now() + this.#options.leaseMs / 2
    const sendQueues = async () => {
      for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
        for (const [place, delivery] of queue.entries()) {
          // A turn of its own, after what it takes back is written down: if this process is killed, nothing of that is sent
          // after its retraction, where it would stand.
          if (place > 0 && delivery.type === RETRACTED) break
          const now = performance.now()
          const gap = Math.max(0, nextStart - now)
          nextStart = now + gap + LEAST_GAP_MS
          if (gap > 0) await new Promise((resolve) => setTimeout(resolve, gap))
          if (isOver || performance.now() > lastStart || signal.aborted || !this.#holds(endpoint)) return
          const at = this.#now()
          const { event_id: id, body } = delivery
          const headers = {
            'Content-Type': 'application/json',
            'User-Agent': this.#options.userAgent,
            ...signedHeaders({ id, timestamp: Math.floor(at / 1_000), body }, secrets, privateKey),
          }
          const url = new URL(endpoint.url)
          const outcome = await this.#options.sender.post({ url, headers, body, signal })
          attempts.push({ delivery, at, outcome })
          failures = isDelivered(outcome) ? 0 : failures + 1
          if ('status' in outcome && outcome.status === 410) isOver = true
          if (failures >= FAILURES_TO_PAUSE) isOver = true
          if (!isDelivered(outcome)) break
        }
      }
    }
    const lanes = failures > 0 ? 1 : MOST_REQUESTS
    await Promise.all(Array.from({ length: Math.min(lanes, waiting.length) }, sendQueues))
  }

  #holds({ shard }: WorkingEndpoint): boolean {
    return this.#options.leases.signalOf(shardName(shard)) !== undefined
  }
}
