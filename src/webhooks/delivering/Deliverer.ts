import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { EventLog, LoggedEvent, LogState } from '../../core/ports/events.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Work } from '../../core/ports/telemetry.ts'
import { Deadline } from '../../core/upstream/Deadline.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Store } from '../../store/openStore.ts'
import type { SecretBox } from '../../store/SecretBox.ts'
import { DEAD, PENDING } from '../endpoints/DeliveryStore.ts'
import { Feeder } from '../routing/Feeder.ts'
import { Router } from '../routing/Router.ts'
import type { Sender } from '../sending/Sender.ts'
import type { ServiceKey } from '../signing/ServiceKey.ts'
import { Dispatcher } from './Dispatcher.ts'
import type { TurnResult } from './judgeTurn.ts'
import { Leases } from './Leases.ts'
import { RETRIES, type Retries } from './retries.ts'

interface DelivererOptions {
  readonly store: Store
  readonly box: SecretBox
  readonly serviceKey: ServiceKey
  readonly sender: Sender
  readonly events: EventLog
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly chainIds: readonly number[]
  readonly userAgent: string
  readonly log: Log
  readonly retries?: Retries
  readonly leaseMs?: number
  readonly onTurn?: (result: TurnResult) => void
  /** Adds a loop whose turns are watched. */
  readonly watch?: (name: string) => Work
}

/** What this process does for webhooks, for `/status` and metrics. */
export interface DelivererHealth {
  /** The parts of the work that it holds; 0 where other processes hold all of it. */
  readonly shards: number
  /** Endpoints that are being sent to, quick ones and slow ones. */
  readonly quick: number
  readonly slow: number
}

const LEASE_MS = 10_000
/** How often due endpoints are looked for where nothing wakes this process: others hand out events too. */
const POLL_MS = 200
const GATHER_MS = 15
const FEED_MS = 500
const AFTER_FAILURE_MS = 1_000
const CLEAN_MS = 10 * 60_000
const DAY_MS = 24 * 60 * 60_000
/** Deliveries are kept so long after their last attempt; those that were given up, longer. */
const KEPT_MS = 7 * DAY_MS
const DEAD_KEPT_MS = 30 * DAY_MS
/** How long running requests may go on when the process ends. */
const SETTLE_MS = 5_000
const CLEANING = 'clean'

/**
 * Delivers events to webhooks. Several processes share the work over the store; each step is written so that being killed
 * at any moment loses nothing and sends at most the running turns once more.
 */
export class Deliverer {
  readonly #options: DelivererOptions
  readonly #leases: Leases
  readonly #dispatcher: Dispatcher
  readonly #router: Router
  readonly #feeder: Feeder
  readonly #stopped = new AbortController()
  #loops: readonly Promise<void>[] = []
  #wake: () => void = () => {}

  constructor(options: DelivererOptions) {
    const { store, log, chainIds, retries = RETRIES, leaseMs = LEASE_MS } = options
    this.#options = options
    // Each pause listens until it is over.
    setMaxListeners(0, this.#stopped.signal)
    const tasks = [CLEANING, ...chainIds.map(routeName)]
    this.#leases = new Leases({ store, log, tasks, leaseMs })
    this.#dispatcher = new Dispatcher({ ...options, retries, leaseMs, leases: this.#leases })
    this.#router = new Router(options)
    this.#feeder = new Feeder(options)
  }

  async start(): Promise<void> {
    const { chainIds, leaseMs = LEASE_MS } = this.#options
    await this.#leases.prepare()
    this.#loops = [
      this.#repeat('leases', async () => {
        await this.#leases.balance((shard) => this.#dispatcher.isIdle(shard))
        await this.#pause(leaseMs / 3)
      }),
      ...chainIds.map((chainId) => this.#routeForever(chainId)),
      this.#repeat('feeds', async () => {
        const moved = await this.#feeder.feed(this.#leases.shards())
        if (moved) this.#wake()
        else await this.#pause(FEED_MS)
      }),
      this.#repeat('deliveries', async () => {
        let isWoken = false
        const woken = new Promise<void>((resolve) => {
          this.#wake = () => {
            isWoken = true
            resolve()
          }
        })
        await this.#dispatcher.dispatch(() => this.#wake())
        if (!isWoken) await Promise.race([woken, this.#pause(POLL_MS)])
        // What comes in the same moment is looked for once.
        await this.#pause(GATHER_MS)
      }),
      this.#repeat(CLEANING, async () => {
        if (this.#leases.signalOf(CLEANING) !== undefined && (await this.#clean())) return
        await this.#pause(CLEAN_MS)
      }),
    ]
  }

  health(): DelivererHealth {
    return { shards: this.#leases.shards().length, ...this.#dispatcher.sending }
  }

  /** Ends after the running requests, within seconds, and lets others take over. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#wake()
    await Promise.all(this.#loops)
    await Promise.race([this.#dispatcher.settled(), sleep(SETTLE_MS)])
    this.#leases.abort()
    await this.#dispatcher.settled()
    await this.#leases.release()
  }

  /** Hands out a chain's events while this process holds the chain. */
  #routeForever(chainId: number): Promise<void> {
    const { events } = this.#options
    let seen: LogState | undefined
    return this.#repeat(routeName(chainId), async () => {
      if (this.#leases.signalOf(routeName(chainId)) === undefined) return this.#pause(POLL_MS)
      // Before the log is read, so that what comes meanwhile ends the wait below.
      const state = await events.state(chainId)
      if (await this.#router.route(chainId)) {
        this.#wake()
        return
      }
      seen = state
      const deadline = new Deadline(1_000, this.#stopped.signal)
      const goesOn = await events.waitFor(chainId, seen, deadline.signal).finally(() => deadline.drop())
      if (!goesOn) await this.#pause(AFTER_FAILURE_MS)
    })
  }

  /** Repeats until the end. A failure is logged, and tried again a little later. */
  async #repeat(what: string, step: () => Promise<void>): Promise<void> {
    // The cleaning pauses for minutes within its turn, and nobody waits for it.
    const work = what === CLEANING ? undefined : this.#options.watch?.(`The delivery (${what})`)
    work?.turned()
    while (!this.#stopped.signal.aborted) {
      try {
        await step()
        work?.worked()
      } catch (error) {
        this.#leases.expire()
        work?.turned()
        const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
        this.#options.log.warn('Webhooks could not go on', { what, reason })
        await this.#pause(AFTER_FAILURE_MS)
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => {})
  }

  /** Deletes what has been kept long enough, some rows at a time. Resolves with whether there may be more. */
  async #clean(): Promise<boolean> {
    const now = Date.now()
    const { numDeletedRows } = await this.#options.store.transaction((db) =>
      db
        .deleteFrom('webhook_deliveries')
        .where(
          sql<boolean>`(endpoint_id, chain_id, sequence) in (
            select endpoint_id, chain_id, sequence from webhook_deliveries
            where state <> ${sql.lit(PENDING)} and attempted_at < ${now - KEPT_MS}
              and (state <> ${sql.lit(DEAD)} or attempted_at < ${now - DEAD_KEPT_MS})
            limit 1000)`,
        )
        .executeTakeFirst(),
    )
    return numDeletedRows > 0n
  }
}

function routeName(chainId: number): string {
  return `events of ${chainId}`
}
