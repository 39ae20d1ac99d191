import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogState } from '@remit/engine/ports/events'
import { Deadline } from '@remit/engine/waiting/Deadline'
import { sql, type Transaction } from 'kysely'
import type { Work } from '../../ports/telemetry.ts'
import type { Store } from '../../store/openStore.ts'
import { storeTime } from '../../store/storeTime.ts'
import type { Tables } from '../../store/tables.ts'
import { Dispatcher, type DispatcherOptions } from './Dispatcher.ts'
import { RecentLog, Router } from './Router.ts'
import { RETRIES, type Retries } from './retries.ts'
import { DEAD, PENDING } from './rows.ts'

interface DelivererOptions extends Omit<DispatcherOptions, 'retries' | 'claimMs' | 'recent'> {
  readonly retries?: Retries
  readonly leaseMs?: number
  /** Adds a loop whose turns are watched. */
  readonly watch?: (name: string) => Work
}

// `rows.ts` explains the words: endpoint, router, woken, claim, turn.

/** What this process does for webhooks, for `/status` and metrics. */
export interface DelivererHealth {
  /** Endpoints that it has claimed. */
  readonly claimed: number
  /** How many of them answer quickly, and how many are slow or have failed last (`Dispatcher.sending`). */
  readonly quick: number
  readonly slow: number
}

/** If this process dies, another one takes its deliveries over after this time. */
const LEASE_MS = 10_000
/** How often due endpoints are looked for where nothing wakes the loop of this process: other processes make endpoints due too. */
const POLL_MS = 200
/** After being woken the loop waits for so long, so that what comes in the same moment is looked for once. */
const GATHER_MS = 40
/** How often the turns are looked through for claims that have run out because they could not be renewed in time. */
const EXPIRE_MS = 500
const AFTER_FAILURE_MS = 1_000
const CLEAN_MS = 10 * 60_000
const DAY_MS = 24 * 60 * 60_000
/** Delivered rows are kept so long after their last attempt; those that were given up, longer. */
const KEPT_MS = 7 * DAY_MS
const DEAD_KEPT_MS = 30 * DAY_MS
/** How long running requests may go on when the process ends. */
const SETTLE_MS = 5_000
/** The name of the loop that is not watched. */
const CLEANING = 'clean'

/**
 * Delivers events to webhooks, in the process `deliver`, or in a service that does so too. Any number of processes do it over one
 * store: a router wakes the endpoints that hear a new event of a chain, and the process that claims an endpoint sends. A kill at any
 * moment loses nothing, and has at most the running turns sent once more. Here are the loops: claims are renewed, each chain's events
 * routed, due endpoints sent to, old rows deleted. `Router` and `Dispatcher` do the work.
 */
export class Deliverer {
  readonly #options: DelivererOptions
  readonly #name = `${hostname()} ${process.pid} ${randomUUID()}`
  readonly #leaseMs: number
  readonly #dispatcher: Dispatcher
  readonly #router: Router
  readonly #stopped = new AbortController()
  #loops: readonly Promise<void>[] = []
  #wake: () => void = () => {}
  #expiry: NodeJS.Timeout | undefined

  constructor(options: DelivererOptions) {
    const { retries = RETRIES, leaseMs = LEASE_MS } = options
    this.#options = options
    this.#leaseMs = leaseMs
    // Each pause listens until it is over.
    setMaxListeners(0, this.#stopped.signal)
    const recent = new RecentLog(options.events)
    this.#dispatcher = new Dispatcher({ ...options, recent, retries, claimMs: leaseMs })
    this.#router = new Router(options.store, options.events, recent)
  }

  async start(): Promise<void> {
    await this.#announce()
    // By a timer: the loops below may wait for a store that is away.
    this.#expiry = setInterval(() => this.#dispatcher.expire(), EXPIRE_MS)
    this.#loops = [
      this.#repeat('claims', async () => {
        await this.#dispatcher.renew()
        await this.#announce()
        await this.#pause(this.#leaseMs / 3)
      }),
      ...this.#options.chainIds.map((chainId) => this.#routeForever(chainId)),
      this.#repeat('deliveries', async () => {
        let isWoken = false
        const woken = new Promise<void>((resolve) => {
          this.#wake = () => {
            isWoken = true
            resolve()
          }
        })
        // Before new claims: after an outage of the store, an endpoint that was sent to and is not written down may be due again.
        // Claimed now, it would be sent the same once more.
        await this.#dispatcher.write()
        if (await this.#dispatcher.dispatch(() => this.#wake())) return
        if (!isWoken) await Promise.race([woken, this.#pause(POLL_MS)])
        await this.#pause(GATHER_MS)
      }),
      this.#repeat(CLEANING, async () => {
        if (!(await this.#clean())) await this.#pause(CLEAN_MS)
      }),
    ]
  }

  health(): DelivererHealth {
    const { quick, slow } = this.#dispatcher.sending
    return { claimed: quick + slow, quick, slow }
  }

  /** Ends after the running requests, within seconds, and lets others take over. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#wake()
    await Promise.all(this.#loops)
    await this.#dispatcher.end(SETTLE_MS)
    clearInterval(this.#expiry)
    const { store } = this.#options
    // If this fails, the row runs out by itself.
    await store
      .transaction((db) => db.deleteFrom('webhook_deliverers').where('name', '=', this.#name).execute())
      .catch(() => {})
  }

  /** Routes a chain's events: again and again, wakes the endpoints that hear what is new, then this process's loop of deliveries. */
  #routeForever(chainId: number): Promise<void> {
    const { events } = this.#options
    return this.#repeat(`events of ${chainId}`, async () => {
      // Before the log is read, so that what comes meanwhile ends the wait below.
      const seen: LogState | undefined = await events.state(chainId)
      if (await this.#router.route(chainId)) {
        this.#wake()
        return
      }
      const deadline = new Deadline(1_000, this.#stopped.signal)
      const goesOn = await events.waitFor(chainId, seen, deadline.signal).finally(() => deadline.drop())
      // The process shuts down, and no wait is granted any more: without a pause this would spin until it has ended.
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

  /** Says that this process delivers, and forgets those that no longer say so. */
  async #announce(): Promise<void> {
    const { store } = this.#options
    const until = (ms: number) => storeTime(store.kind, ms)
    await store.transaction(async (db) => {
      await db
        .insertInto('webhook_deliverers')
        .values({ name: this.#name, alive_until: until(this.#leaseMs) })
        .onConflict((row) =>
          row.column('name').doUpdateSet((set) => ({ alive_until: set.ref('excluded.alive_until') })),
        )
        .execute()
      await db.deleteFrom('webhook_deliverers').where('alive_until', '<=', until(0)).execute()
    })
  }

  /**
   * Deletes deliveries that have been kept long enough, some rows at a time. Resolves with whether there may be more. Rows of
   * endpoints that are paused or have a cursor (`webhook_lanes`) stay: they say which events were sent, and only of these are retractions sent.
   */
  async #clean(): Promise<boolean> {
    const now = Date.now()
    const { numDeletedRows } = await this.#options.store.transaction((db) =>
      db
        .deleteFrom('webhook_deliveries')
        .where(
          sql<boolean>`(endpoint_id, chain_id, sequence) in (
            select endpoint_id, chain_id, sequence from webhook_deliveries
            where state <> ${sql.lit(PENDING)} and attempted_at < ${now - KEPT_MS}
              and not exists (select 1 from webhook_endpoints as endpoint
                where endpoint.id = endpoint_id and endpoint.paused_at is not null)
              and not exists (select 1 from webhook_lanes as lane
                where lane.endpoint_id = webhook_deliveries.endpoint_id)
              and (state <> ${sql.lit(DEAD)} or attempted_at < ${now - DEAD_KEPT_MS})
            limit 1000)`,
        )
        .where('state', '<>', sql.lit(PENDING))
        .executeTakeFirst(),
    )
    return numDeletedRows > 0n
  }
}

/** How many processes deliver. One that was killed counts until its lease has run out, LEASE_MS at most. */
export async function presentDeliverers(db: Transaction<Tables>, kind: Store['kind']): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_deliverers')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('alive_until', '>', storeTime(kind, 0))
    .executeTakeFirstOrThrow()
  return Number(count)
}
