import { setMaxListeners } from 'node:events'
import type { EventType } from '../../core/ports/events.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import { secretsOf } from '../endpoints/rows.ts'
import { isDelivered, type Sender } from '../sending/Sender.ts'
import type { ServiceKey } from '../signing/ServiceKey.ts'
import { claimEndpoints, renewClaims } from './claims.ts'
import type { WaitingDelivery } from './choose.ts'
import type { RecentLog } from './RecentLog.ts'
import { type Attempt, Results, type TurnResult } from './Results.ts'
import { FAILURES_TO_PAUSE, type Retries } from './retries.ts'
import { grouped } from './rows.ts'
import { type TakeOptions, takeWork, type Work } from './takeWork.ts'

export interface DispatcherOptions extends TakeOptions {
  readonly recent: RecentLog
  readonly box: SecretBox
  readonly serviceKey: ServiceKey
  readonly sender: Sender
  readonly retries: Retries
  /** How long a process that was killed keeps others from its endpoints. */
  readonly claimMs: number
  /** Hears of each turn. */
  readonly onTurn?: (result: TurnResult) => void
}

/** Endpoints that are sent to at the same time, as long as they answer quickly. */
const MOST_QUICK = 256
/** Endpoints beside those that have failed, or take longer than `SLOW_MS`. They hold up nobody but each other. */
const MOST_SLOW = 1_024
const SLOW_MS = 500
/** Endpoints that are claimed together. Other processes take the next ones. */
const MOST_CLAIMED = 128
/** A turn begins no request after this time, so that its endpoint soon hears what has come meanwhile. */
const TURN_MS = 1_000
/** Requests to one endpoint at the same time, each of another queue. */
const MOST_REQUESTS = 4
const RETRACTED: EventType = 'retracted'
/** At most a hundred requests a second begin for one endpoint. */
const LEAST_GAP_MS = 10

interface Turn extends Work {
  /** Ends what is being sent where the claim is lost. */
  readonly lost: AbortController
  /** When the claim ends, by a clock that never goes back: a little earlier than by the store's. */
  validUntil: number
}

/** Sends what waits: turn by turn of an endpoint, many endpoints at a time. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #results: Results
  readonly #turns = new Map<Turn, Promise<void>>()
  readonly #slow = new Set<Turn>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#results = new Results(options)
  }

  /** Begins turns of endpoints that are due. Resolves with whether there may be more of them. */
  async dispatch(onDone: () => void): Promise<boolean> {
    const { store, claimMs } = this.#options
    // After an outage: what was sent is written down first, or it would be sent once more.
    if (this.#results.isLate) return false
    const room = MOST_QUICK - (this.#turns.size - this.#slow.size)
    const most = Math.min(room, MOST_CLAIMED)
    const validUntil = performance.now() + claimMs
    const claims = await claimEndpoints(store, { most, failing: this.#slow.size < MOST_SLOW, claimMs })
    if (claims.length === 0) return false
    for (const work of await takeWork(this.#options, claims)) {
      this.#begin({ ...work, lost: new AbortController(), validUntil }, onDone)
    }
    return claims.length === most
  }

  /** Renews the claims of the turns that run, and ends those that were lost. */
  async renew(): Promise<void> {
    const askedAt = performance.now()
    const turns = [...this.#turns.keys()]
    const own = await renewClaims(this.#options.store, turns, this.#options.claimMs)
    for (const turn of turns) {
      if (own.has(turn)) turn.validUntil = askedAt + this.#options.claimMs
      else turn.lost.abort()
    }
  }

  /** Stops what is sent under claims that have run out, because they could not be renewed in time. */
  expire(): void {
    for (const turn of this.#turns.keys()) if (performance.now() >= turn.validUntil) turn.lost.abort()
  }

  /** Stops all that is still being sent. What cannot be written soon is sent again by others. */
  abort(): void {
    this.#results.giveUp()
    for (const turn of this.#turns.keys()) turn.lost.abort()
  }

  /** Endpoints that are being sent to. */
  get sending(): { readonly quick: number; readonly slow: number } {
    return { quick: this.#turns.size - this.#slow.size, slow: this.#slow.size }
  }

  /** Resolves when every turn has ended and is written down. */
  async settled(): Promise<void> {
    await Promise.all(this.#turns.values())
  }

  #begin(turn: Turn, onDone: () => void): void {
    const { id, failures } = turn.claim.endpoint
    const { log } = this.#options
    // Each running request listens.
    setMaxListeners(0, turn.lost.signal)
    if (failures > 0) this.#slow.add(turn)
    const done = this.#run(turn)
      .catch((error: unknown) => {
        // Nothing was written, so all of it is sent again when the claim ends.
        if (error instanceof SealedError) {
          log.warn('The secret of a webhook cannot be opened', { id, reason: error.message })
          return
        }
        const reason = error instanceof Error ? error.name : 'unknown'
        log.warn('A turn of a webhook was not written down', { id, reason })
      })
      .finally(() => {
        this.#turns.delete(turn)
        this.#slow.delete(turn)
        onDone()
      })
    this.#turns.set(turn, done)
  }

  async #run(turn: Turn): Promise<void> {
    const { log, onTurn } = this.#options
    const attempts: Attempt[] = []
    if (turn.deliveries.length > 0) {
      const slowly = setTimeout(() => {
        if (this.#slow.size < MOST_SLOW) this.#slow.add(turn)
      }, SLOW_MS)
      await this.#sendAll(turn, attempts).finally(() => clearTimeout(slowly))
    }
    const result = await this.#results.write({ work: turn, attempts })
    onTurn?.(result)
    if (result.paused !== undefined) {
      log.warn('A webhook was paused', { id: turn.claim.endpoint.id, reason: result.paused })
    }
  }

  /** Sends each queue in its order, and several queues at a time where the endpoint is well. */
  async #sendAll(turn: Turn, attempts: Attempt[]): Promise<void> {
    const { box, serviceKey, sender, claimMs } = this.#options
    const { deliveries, lost } = turn
    const { endpoint } = turn.claim
    const url = new URL(endpoint.url)
    const waiting: (readonly WaitingDelivery[])[] = [...grouped(deliveries, ({ queue }) => queue).values()]
    const { privateKey } = await serviceKey.get()
    const secrets = secretsOf(box, endpoint, Date.now())
    let failures = endpoint.failures
    let isOver = false
    let nextStart = 0
    const lastStart = performance.now() + Math.min(TURN_MS, claimMs / 2)
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
          if (isOver || lost.signal.aborted) return
          if (performance.now() > Math.min(lastStart, turn.validUntil)) return
          const at = Date.now()
          const message = { id: delivery.event_id, body: delivery.body, secrets, key: privateKey }
          const outcome = await sender.postSigned({ url, ...message, signal: lost.signal })
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
}
