import { sql, type Transaction } from 'kysely'
import { type EventLog, FINALITIES, type Finality, type LoggedEvent } from '../../core/ports/events.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { changeEndpoints, lockEndpoints } from '../endpoints/lockEndpoints.ts'
import { deliveryRow, eventMessage, insertDeliveries, type Message } from './insertDeliveries.ts'
import { type Listener, Listeners, toListener } from './Listeners.ts'

/** Events that are handed out in one transaction. */
const MOST_EVENTS = 200
/** With more deliveries waiting, an endpoint is fed on its own, as fast as it takes them. So the store stays small. */
const MOST_PENDING = 2_000

export interface RouterOptions {
  readonly store: Store
  readonly events: EventLog
  /** Events as they travel. Throws what a view of their chain throws. */
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly now?: () => number
}

/**
 * Hands out the log: for each event, a delivery for each endpoint that hears it.
 *
 * A batch is written together with the place that it ends at, so each event is handed out once, whoever does it and
 * whenever they are killed.
 */
export class Router {
  readonly #options: RouterOptions
  readonly #now: () => number
  #known: { readonly version: number; readonly listeners: Listeners } | undefined

  constructor(options: RouterOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Hands out what is new on a chain. Resolves with whether there was anything. */
  async route(chainId: number): Promise<boolean> {
    const cursors = await this.#options.store.db
      .selectFrom('webhook_cursors')
      .select(['finality', 'sequence'])
      .where('chain_id', '=', chainId)
      .execute()
    const { listeners } = await this.#listeners()
    const begun = new Set(cursors.map(({ finality }) => finality))
    const missing = [...listeners.finalities].filter((finality) => !begun.has(finality))
    if (missing.length > 0) return this.#begin(chainId, missing)
    let moved = false
    for (const { finality, sequence } of cursors) {
      const known = FINALITIES.find((one) => one === finality)
      if (known !== undefined) moved = (await this.#step(chainId, known, sequence)) || moved
    }
    return moved
  }

  /** For a chain that came after the endpoints. */
  async #begin(chainId: number, finalities: readonly Finality[]): Promise<boolean> {
    await this.#options.store.transaction((db) =>
      db
        .insertInto('webhook_cursors')
        .values(finalities.map((finality) => ({ chain_id: chainId, finality, sequence: 0 })))
        .onConflict((row) => row.doNothing())
        .execute(),
    )
    return true
  }

  async #step(chainId: number, finality: Finality, after: number): Promise<boolean> {
    const { events: log, encode, store } = this.#options
    const { version, listeners } = await this.#listeners()
    if (!listeners.has(finality)) return this.#skip(chainId, finality, after, version)
    const query = { after, first: MOST_EVENTS, filters: {}, finality }
    const { events, next } = await log.read(chainId, query)
    if (next === after) return false
    const heard = events.map((event) => ({ event, by: listeners.hearing(event, finality) }))
    const wanted = heard.filter(({ by }) => by.length > 0)
    const wires = await encode(
      chainId,
      wanted.map(({ event }) => event),
    )
    const batch = wanted.flatMap(({ event, by }, place) => {
      const wire = wires[place]
      if (wire === undefined) return []
      const message = eventMessage(event, wire)
      return by.map((listener) => ({ listener, event, message }))
    })
    return store.transaction(async (db) => {
      // An endpoint was made or changed meanwhile: the batch is made again.
      if ((await lockEndpoints(db)) !== version) return true
      if (!(await moveCursor(db, { chainId, finality, from: after, to: next }))) return true
      await this.#write(db, chainId, batch, after)
      return true
    })
  }

  /** @param after where the batch begins: from there on, an endpoint that has too much waiting is fed on its own */
  async #write(
    db: Transaction<Tables>,
    chainId: number,
    batch: readonly Heard[],
    after: number,
  ): Promise<void> {
    const now = this.#now()
    const full = await fullEndpoints(db, [...new Set(batch.map(({ listener }) => listener.id))])
    for (const id of full) {
      await db
        .insertInto('webhook_feeds')
        .values({ endpoint_id: id, chain_id: chainId, again: 0, sequence: after, until_sequence: null })
        .onConflict((row) => row.doNothing())
        .execute()
    }
    if (full.size > 0) await changeEndpoints(db)
    const others = batch.filter(({ listener }) => !full.has(listener.id))
    const isRetraction = ({ event }: Heard) => event.type === 'retracted'
    const toRow = ({ listener, message }: Heard) => deliveryRow(listener.id, message, now)
    await insertDeliveries(db, others.filter((one) => !isRetraction(one)).map(toRow), now)
    // Only now: what a retraction takes back may be in the same batch.
    const retractions = await toldOf(db, others.filter(isRetraction))
    await insertDeliveries(db, retractions.map(toRow), now)
  }

  /** Nobody listens, so nothing is read. */
  async #skip(chainId: number, finality: Finality, from: number, version: number): Promise<boolean> {
    const state = await this.#options.events.state(chainId)
    if (state === undefined || state.sequence <= from) return false
    return this.#options.store.transaction(async (db) => {
      if ((await lockEndpoints(db)) !== version) return true
      await moveCursor(db, { chainId, finality, from, to: state.sequence })
      return false
    })
  }

  /** The endpoints as they are, read again after each change of one. */
  async #listeners(): Promise<{ version: number; listeners: Listeners }> {
    const { db } = this.#options.store
    const { version } = await db
      .selectFrom('webhook_service')
      .select('version')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    if (this.#known?.version === version) return this.#known
    this.#known = await this.#options.store.snapshot(readListeners)
    return this.#known
  }
}

interface Heard {
  readonly listener: Listener
  readonly event: LoggedEvent
  readonly message: Message
}

async function readListeners(db: Transaction<Tables>) {
  const { version } = await db
    .selectFrom('webhook_service')
    .select('version')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select([
      'id',
      'chain_id',
      'types',
      'subscription_id',
      'provider',
      'account',
      'finality',
      'begins',
      'created_at',
    ])
    .execute()
  const feeds = await db
    .selectFrom('webhook_feeds')
    .select(['endpoint_id', 'chain_id'])
    .where('again', '=', 0)
    .execute()
  const fed = new Map<string, number[]>()
  for (const feed of feeds) fed.set(feed.endpoint_id, [...(fed.get(feed.endpoint_id) ?? []), feed.chain_id])
  const listeners = rows.flatMap((row) => {
    const finality = FINALITIES.find((one) => one === row.finality)
    return finality === undefined ? [] : [toListener(row, finality, fed.get(row.id) ?? [])]
  })
  return { version, listeners: new Listeners(listeners) }
}

async function moveCursor(
  db: Transaction<Tables>,
  { chainId, finality, from, to }: { chainId: number; finality: Finality; from: number; to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_cursors')
    .set({ sequence: to })
    .where('chain_id', '=', chainId)
    .where('finality', '=', finality)
    .where('sequence', '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Which of these endpoints have too much waiting. */
async function fullEndpoints(db: Transaction<Tables>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('endpoint_id')
    .where('endpoint_id', 'in', ids)
    .where('state', '=', sql.lit(PENDING))
    .groupBy('endpoint_id')
    .having((having) => having.fn.countAll(), '>=', MOST_PENDING)
    .execute()
  return new Set(rows.map((row) => row.endpoint_id))
}

/** The retractions that take back what their endpoint was told, or is about to be. */
async function toldOf(db: Transaction<Tables>, retractions: readonly Heard[]): Promise<readonly Heard[]> {
  const idsOf = ({ event }: Heard) => (event.type === 'retracted' ? event.facts.ids : [])
  const ids = [...new Set(retractions.flatMap(idsOf))]
  const told = new Set<string>()
  for (let start = 0; start < ids.length; start += MOST_EVENTS) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id', 'event_id'])
      .where('event_id', 'in', ids.slice(start, start + MOST_EVENTS))
      .execute()
    for (const row of rows) told.add(`${row.endpoint_id} ${row.event_id}`)
  }
  return retractions.filter((one) => idsOf(one).some((id) => told.has(`${one.listener.id} ${id}`)))
}
