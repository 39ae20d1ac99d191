import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@remit/engine/ports/log'
import type { WebhooksHealth } from '@remit/engine/schema/health'
import { sql, type Transaction } from 'kysely'
import type { Store } from '../store/openStore.ts'
import { storeTime } from '../store/storeTime.ts'
import type { Tables } from '../store/tables.ts'
import { presentDeliverers } from './delivering/Deliverer.ts'
import { MAIN_QUEUE, PENDING } from './delivering/rows.ts'

// `delivering/rows.ts` explains the words: endpoint, delivery, main cursor (in the table lanes), route, router, claim.

interface WebhooksWatchOptions {
  readonly store: Store
  readonly log: Log
  readonly everyMs?: number
  /** This machine's clock, unix milliseconds. Tests shift it; the store's clock then counts as shifted by as much. */
  readonly now?: () => number
}

/** How often it looks. The alarm is about minutes. */
const EVERY_MS = 10_000
/** Events that waited longer raise the alarm. */
const LATE_MS = 60_000
/** Deliveries that wait are counted up to this number. */
const MOST_COUNTED = 100_000

/** Looks now and then at how the webhooks of all processes stand, for `/status`, and raises an alarm if events wait for a process. */
export class WebhooksWatch {
  readonly #options: WebhooksWatchOptions
  readonly #now: () => number
  readonly #stopped = new AbortController()
  #looking: Promise<void> | undefined
  #health: WebhooksHealth | null = null
  /** The routers that have not read their chain's log to its end, by chain: how far each was at the last look, and since when. */
  #lateRouters = new Map<number, { readonly sequence: number; readonly since: number }>()
  /** Since when no process has delivered. */
  #nobodySince: number | undefined

  constructor(options: WebhooksWatchOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** The health at the last look; `null` before the first one. */
  health(): WebhooksHealth | null {
    return this.#health
  }

  start(): void {
    this.#looking ??= this.#lookForever()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#looking
  }

  /** Throws what the store throws. */
  async look(): Promise<void> {
    const now = this.#now()
    const { store, log } = this.#options
    const read = await store.snapshot((db) => readStanding(db, store.kind, now))
    const { active, failing, paused, deliverers, waiting } = read
    const isAlone = active > 0 && deliverers === 0
    this.#nobodySince = isAlone ? (this.#nobodySince ?? now) : undefined
    this.#noteLateRouters(active > 0 ? read.lateRouters : [], now)
    const since = [
      read.dueSince,
      this.#nobodySince,
      ...[...this.#lateRouters.values()].map((one) => one.since),
    ]
    const behindMs = Math.max(0, ...since.map((begun) => (begun === undefined ? 0 : now - begun)))
    const behindSeconds = Math.floor(behindMs / 1_000)
    const alarm = behindMs < LATE_MS ? null : sentence(behindSeconds, isAlone)
    if (alarm !== null && this.#health?.alarm == null) log.error(alarm, { deliverers, waiting })
    if (alarm === null && this.#health?.alarm != null) log.info('Webhooks are no longer behind')
    this.#health = { active, failing, paused, deliverers, waiting, behindSeconds, alarm }
  }

  #noteLateRouters(
    routers: readonly { readonly chainId: number; readonly sequence: number }[],
    now: number,
  ): void {
    const known = this.#lateRouters
    this.#lateRouters = new Map(
      routers.map(({ chainId, sequence }) => {
        const before = known.get(chainId)
        return [chainId, before?.sequence === sequence ? before : { sequence, since: now }]
      }),
    )
  }

  async #lookForever(): Promise<void> {
    const { everyMs = EVERY_MS } = this.#options
    while (!this.#stopped.signal.aborted) {
      // A store that is away is an alarm of the indexes already. What was seen last stands.
      await this.look().catch(() => {})
      await sleep(everyMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
    }
  }
}

function sentence(seconds: number, isAlone: boolean): string {
  if (isAlone) return `No process has delivered to webhooks for ${seconds} s: events are kept until one does.`
  return `Webhooks are behind: events have waited for ${seconds} s to be sent.`
}

async function readStanding(db: Transaction<Tables>, kind: Store['kind'], now: number) {
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select([
      sql<number>`count(case when paused_at is null then 1 end)`.as('active'),
      sql<number>`count(case when paused_at is null and failures > 0 then 1 end)`.as('failing'),
      sql<number>`count(case when paused_at is not null then 1 end)`.as('paused'),
      // Those that fail wait by their own fault. One whose claim has run out waits, as no process has taken it.
      sql<number | null>`min(case when paused_at is null and failures = 0
        and due_at <= ${storeTime(kind, now - Date.now())} then waits_since end)`.as('due_since'),
    ])
    .executeTakeFirstOrThrow()
  const waiting = await db
    .selectFrom((from) =>
      from
        .selectFrom('webhook_deliveries')
        .select('endpoint_id')
        .where('state', '=', sql.lit(PENDING))
        .limit(MOST_COUNTED)
        .as('waiting'),
    )
    .select((query) => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const cursors = await db
    .selectFrom('webhook_lanes')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('queue', '=', MAIN_QUEUE)
    .executeTakeFirstOrThrow()
  const lateRouters = await db
    .selectFrom('webhook_routes')
    .innerJoin('index_chains', 'index_chains.chain_id', 'webhook_routes.chain_id')
    .select(['webhook_routes.chain_id as chainId', 'sequence'])
    // Events that must be surer wait for blocks, not for a process.
    .where('finality', '=', 'seen')
    .whereRef('sequence', '<', 'index_chains.log_sequence')
    .execute()
  const { active, failing, paused, due_since: dueSince } = endpoints
  return {
    active: Number(active),
    failing: Number(failing),
    paused: Number(paused),
    dueSince: dueSince === null ? undefined : Number(dueSince),
    deliverers: await presentDeliverers(db, kind),
    // What a main cursor leads to has no rows yet: it counts as one.
    waiting: Math.min(MOST_COUNTED, Number(waiting.count) + Number(cursors.count)),
    lateRouters,
  }
}
