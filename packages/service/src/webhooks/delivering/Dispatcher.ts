import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupBy } from '@remit/engine/indexing/groupBy'
import type { EventType } from '@remit/engine/ports/events'
import type { Store } from '../../store/openStore.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import { secretsOf } from '../endpoints/rows.ts'
import { isDelivered, type Sender } from '../sending/Sender.ts'
import type { ServiceKey } from '../signing/signatures.ts'
import { claimEndpoints, renewClaims } from './claims.ts'
import type { RecentLog } from './Router.ts'
import { FAILURES_TO_SLOW_DOWN, type Retries } from './retries.ts'
import { chunksOf } from './rows.ts'
import { type TakeOptions, takeWork, type WaitingDelivery, type Work } from './takeWork.ts'
import { type DeliveryAttempt, type TurnResult, writeTurnResults } from './writeTurnResults.ts'

// `rows.ts` explains the words: endpoint, row, queue, turn.

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

/** Turns that run at the same time, as long as their endpoints answer quickly. */
const MOST_QUICK = 256
/**
 * Turns that run beside the quick ones, without taking their places: those of endpoints that have failed last, or that take longer
 * than `SLOW_MS`. So slow endpoints hold up nobody but each other.
 */
const MOST_SLOW = 1_024
/** Most receivers answer within a tenth of a second. */
const SLOW_MS = 500
/** Endpoints that are claimed together. Other processes take the next ones. */
const MOST_CLAIMED = 128
/** A turn begins no request after this time, so that its endpoint soon hears what has come meanwhile. */
const TURN_MS = 1_000
/** After so many failed writes of a turn, the store is tried: if it takes other writes, the turn itself is at fault. */
const MOST_TRIES = 5
/** Requests to one endpoint at the same time, each for another queue, so that no event overtakes an earlier one of its subscription. */
const MOST_REQUESTS = 4
const RETRACTED: EventType = 'retracted'
/** At most a hundred requests a second begin for one endpoint. */
const LEAST_GAP_MS = 10

interface RunningTurn extends Work {
  readonly attempts: DeliveryAttempt[]
  /** Aborts what is being sent: the claim is lost or has run out, or the process ends. */
  readonly lost: AbortController
  /** When the turn began, by a clock that never goes back. */
  readonly begunAt: number
  /** When the claim ends, by a clock that never goes back: a little earlier than by the store's. */
  validUntil: number
  /** How often it could not be written down. */
  tries: number
}

/**
 * Sends what waits for endpoints, in turns. A turn claims an endpoint (`claims.ts`), writes a delivery row for each of its next events
 * (`takeWork.ts`), sends its rows, and writes down what came of each (`writeTurnResults.ts`), which ends the claim. Many endpoints
 * have a turn at the same time. A turn that is not written down is sent again when its claim has run out. `Deliverer` calls `dispatch`
 * and `write` in one loop, `renew` in another, `expire` by a timer, and `end` when the process ends.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  /** All whose claims are renewed: those that are being sent, and those that are to be written down. By turn, the end of its sending. */
  readonly #turns = new Map<RunningTurn, Promise<void>>()
  /** Those that have sent all and are to be written down. */
  readonly #ended = new Set<RunningTurn>()
  /** By chain whose events could not be encoded in time: until when `takeWork` gives it no new rows, by `performance.now()`. */
  readonly #passedOver = new Map<number, number>()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Begins turns of endpoints that are due. Resolves with whether more may be due. @param onDone called as each turn has sent all, or failed */
  async dispatch(onDone: () => void): Promise<boolean> {
    const { store, claimMs } = this.#options
    const { quick, slow } = this.sending
    const most = Math.min(MOST_QUICK - quick, MOST_CLAIMED)
    const validUntil = performance.now() + claimMs
    const claims = await claimEndpoints(store, { most, failing: slow < MOST_SLOW, claimMs })
    if (claims.length === 0) return false
    for (const work of await takeWork({ ...this.#options, passedOver: this.#passedOver }, claims)) {
      const begunAt = performance.now()
      this.#begin(
        { ...work, attempts: [], lost: new AbortController(), begunAt, validUntil, tries: 0 },
        onDone,
      )
    }
    return claims.length === most
  }

  /** Writes down what came of turns that have sent all, many in one transaction. Throws while the store takes no writes. */
  async write(): Promise<void> {
    for (const chunk of chunksOf([...this.#ended])) await this.#writeBatch(chunk)
  }

  /** Renews the claims of all turns, and ends those that were lost. */
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

  /** Lets the running requests end for some time, then stops them, and writes down what came of all if the store takes it. */
  async end(withinMs: number): Promise<void> {
    const settled = new AbortController()
    const all = Promise.all(this.#turns.values())
    await Promise.race([all, sleep(withinMs, undefined, { signal: settled.signal })])
    settled.abort()
    for (const turn of this.#turns.keys()) turn.lost.abort()
    await all
    // If this fails, others send it again.
    await this.write().catch(() => {})
  }

  /** How many endpoints have a turn. Slow ones beyond MOST_SLOW count as quick: they take the places of these. */
  get sending(): { readonly quick: number; readonly slow: number } {
    const slowSince = performance.now() - SLOW_MS
    const slow = [...this.#turns.keys()].filter(
      ({ claim, begunAt }) => claim.endpoint.failures > 0 || begunAt <= slowSince,
    )
    const apart = Math.min(slow.length, MOST_SLOW)
    return { quick: this.#turns.size - apart, slow: apart }
  }

  async #writeBatch(batch: readonly RunningTurn[]): Promise<void> {
    const { store, log, onTurn } = this.#options
    try {
      const results = await writeTurnResults(this.#options, batch)
      for (const turn of batch) {
        this.#forget(turn)
        const result = results.get(turn)
        if (result === undefined) continue
        onTurn?.(result)
        if (result.paused === undefined) continue
        log.warn('A webhook was paused', { id: turn.claim.endpoint.id, reason: result.paused })
      }
    } catch (error) {
      const [turn, ...others] = batch
      if (turn === undefined) return
      if (others.length > 0) {
        // One of them may be at fault itself, and must hold up no others.
        for (const one of batch) await this.#writeBatch([one])
        return
      }
      turn.tries += 1
      if (turn.tries < MOST_TRIES || !(await takesWrites(store))) throw error
      this.#fail(turn, 'A turn of a webhook was not written down', error)
    }
  }

  #begin(turn: RunningTurn, onDone: () => void): void {
    // Each running request listens.
    setMaxListeners(0, turn.lost.signal)
    const done = (turn.deliveries.length === 0 ? Promise.resolve() : this.#send(turn))
      .then(() => void this.#ended.add(turn))
      // Nothing was sent: the keys or secrets could not be read. All of it is sent when the claim has run out.
      .catch((error: unknown) => this.#fail(turn, 'A turn of a webhook could not begin', error))
      .finally(onDone)
    this.#turns.set(turn, done)
  }

  /** Gives a turn up. Its endpoint is claimed again when the claim has run out. */
  #fail(turn: RunningTurn, what: string, error: unknown): void {
    this.#forget(turn)
    const isSealed = error instanceof SealedError
    const reason = isSealed ? error.message : error instanceof Error ? error.name : 'unknown'
    const sentence = isSealed ? 'The secret of a webhook cannot be opened' : what
    this.#options.log.warn(sentence, { id: turn.claim.endpoint.id, reason })
  }

  #forget(turn: RunningTurn): void {
    this.#turns.delete(turn)
    this.#ended.delete(turn)
  }

  /**
   * Sends each queue in its order, and several queues at a time where the endpoint has not failed last. A queue ends with a request
   * that fails; the turn begins no more after status 410, some failures in a row, or TURN_MS. What is not sent waits for another turn.
   */
  async #send(turn: RunningTurn): Promise<void> {
    const { box, serviceKey, sender, claimMs } = this.#options
    const { deliveries, lost, attempts } = turn
    const { endpoint } = turn.claim
    const url = new URL(endpoint.url)
    const waiting: (readonly WaitingDelivery[])[] = [...groupBy(deliveries, ({ queue }) => queue).values()]
    const { privateKey } = await serviceKey.get()
    const secrets = secretsOf(box, endpoint, Date.now())
    let failures = endpoint.failures
    let isOver = false
    let nextStart = 0
    const lastStart = performance.now() + Math.min(TURN_MS, claimMs / 2)
    const sendQueues = async () => {
      for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
        for (const [place, delivery] of queue.entries()) {
          // A retraction begins a turn, after what it takes back is written down. Otherwise, if this process were killed, an
          // event could be sent again after its retraction.
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
          if (failures >= FAILURES_TO_SLOW_DOWN) isOver = true
          if (!isDelivered(outcome)) break
        }
      }
    }
    const mostRequests = failures > 0 ? 1 : MOST_REQUESTS
    await Promise.all(Array.from({ length: Math.min(mostRequests, waiting.length) }, sendQueues))
  }
}

/** Whether the store takes writes, by one that changes nothing. */
async function takesWrites(store: Store): Promise<boolean> {
  const write = store.transaction((db) =>
    db.updateTable('webhook_deliverers').set({ alive_until: 0 }).where('name', '=', '').execute(),
  )
  return write.then(
    () => true,
    () => false,
  )
}
