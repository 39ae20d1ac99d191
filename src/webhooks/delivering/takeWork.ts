import { sql, type Transaction } from 'kysely'
import type { EventLog, LoggedEvent } from '../../core/ports/events.ts'
import type { Log } from '../../core/ports/log.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { type Choice, choose } from './choose.ts'
import { type Claim, holdEndpoints, owns } from './claims.ts'
import { readLanes } from './lanes.ts'
import { AGAIN, chunksOf, doneRows, grouped, newDelivery, PENDING } from './rows.ts'

export interface TakeOptions {
  readonly store: Store
  readonly events: EventLog
  /** Events as they travel. Throws what a view of their chain throws. */
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly chainIds: readonly number[]
  readonly log: Log
}

/** What a turn sends. */
export interface Work extends Choice {
  /** In the order of the items, without those that were delivered before. */
  readonly deliveries: readonly WaitingDelivery[]
}

const WAITING = [
  'endpoint_id',
  'chain_id',
  'sequence',
  'event_id',
  'type',
  'queue',
  'body',
  'attempts',
] as const

export type WaitingDelivery = Pick<WebhookDeliveriesTable, (typeof WAITING)[number] | 'first_attempt_at'>

/**
 * Finds what claimed endpoints are sent now, and writes rows of all that before its first byte. So what may have been heard has a
 * row: if it is taken back, that is told. The cursors move when it has been sent: after a kill all of it is found again.
 *
 * Leaves out endpoints that others have claimed meanwhile.
 */
export async function takeWork(options: TakeOptions, claims: readonly Claim[]): Promise<readonly Work[]> {
  const { store, log } = options
  const warn = (chainId: number, error: unknown) => {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
    log.warn('Events of a chain cannot be sent to webhooks now', { chainId, reason })
  }
  const reads = await readLanes({ ...options, onUnreadable: warn }, claims)
  const without = new Set(reads.unreadable)
  for (;;) {
    const choices = reads.standings.map((standing) => choose(reads, standing, without))
    const { bodies, failed } = await encodeAll(options.encode, choices)
    if (failed.size === 0) return store.transaction((db) => writeRows(db, store.kind, choices, bodies))
    // The other chains wait for nothing.
    for (const [chainId, error] of failed) {
      warn(chainId, error)
      without.add(chainId)
    }
  }
}

async function encodeAll(encode: TakeOptions['encode'], choices: readonly Choice[]) {
  const bodies = new Map<LoggedEvent, string>()
  const failed = new Map<number, unknown>()
  const events = new Set(choices.flatMap(({ items }) => items.flatMap(({ event }) => event ?? [])))
  for (const [chainId, ofChain] of grouped(events, (event) => event.chainId)) {
    try {
      const wires = await encode(chainId, ofChain)
      for (const [place, event] of ofChain.entries()) bodies.set(event, JSON.stringify(wires[place]))
    } catch (error) {
      failed.set(chainId, error)
    }
  }
  return { bodies, failed }
}

async function writeRows(
  db: Transaction<Tables>,
  kind: Store['kind'],
  choices: readonly Choice[],
  bodies: ReadonlyMap<LoggedEvent, string>,
): Promise<readonly Work[]> {
  const ids = choices.map(({ claim }) => claim.endpoint.id)
  const held = await holdEndpoints(db, kind, ids)
  const own = choices
    .filter(({ claim: { endpoint } }) => owns(endpoint, held.get(endpoint.id)))
    .map((choice) => {
      const now = held.get(choice.claim.endpoint.id)
      // Whoever pauses an endpoint or changes what it hears wakes it, so its turn only ends.
      const stands = now?.paused_at === null && now.version === choice.claim.endpoint.version
      return stands ? choice : { claim: choice.claim, items: [], moved: [], ended: [] }
    })
  const now = Date.now()
  const rows = own.flatMap(({ claim, items }) =>
    items.flatMap(({ event, queue, again }) => {
      const body = event && bodies.get(event)
      if (event === undefined || body === undefined) return []
      const { chainId: chain_id, sequence, id: event_id, type } = event
      const message = { chain_id, sequence, event_id, type, queue, body }
      return [{ ...newDelivery(claim.endpoint.id, message, now), again: again ? 1 : 0 }]
    }),
  )
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('webhook_deliveries')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['endpoint_id', 'chain_id', 'sequence'])
          .doUpdateSet((set) => ({ ...AGAIN, queue: set.ref('excluded.queue'), next_at: now }))
          .where('excluded.again', '=', 1)
          .where('webhook_deliveries.state', '<>', PENDING),
      )
      .execute()
  }
  const waiting = grouped(await readWaiting(db, own), ({ endpoint_id }) => endpoint_id)
  return own.map((choice) => {
    const byPlace = new Map(
      waiting.get(choice.claim.endpoint.id)?.map((row) => [`${row.chain_id} ${row.sequence}`, row]),
    )
    const deliveries = choice.items.flatMap(({ chainId, sequence, queue }) => {
      const row = byPlace.get(`${chainId} ${sequence}`)
      // A row of another queue is sent by another lane.
      return row?.queue === queue ? [row] : []
    })
    return { ...choice, deliveries }
  })
}

/** The rows of what was chosen, but for those that were delivered before. */
async function readWaiting(
  db: Transaction<Tables>,
  choices: readonly Choice[],
): Promise<readonly WaitingDelivery[]> {
  const places = choices.flatMap(({ claim, items }) =>
    items.map(({ chainId, sequence }) => ({ endpoint_id: claim.endpoint.id, chain_id: chainId, sequence })),
  )
  const types = { endpoint_id: 'text', chain_id: 'bigint', sequence: 'bigint' } as const
  const waiting: WaitingDelivery[] = []
  for (const chunk of chunksOf(places)) {
    const { rows } = await sql<WaitingDelivery>`
      with ${doneRows(types, chunk)}
      select ${sql.join(WAITING.map((column) => sql.ref(column)))}, first_attempt_at from webhook_deliveries
      where (endpoint_id, chain_id, sequence) in (select endpoint_id, chain_id, sequence from done)
        and state = ${sql.lit(PENDING)}`.execute(db)
    waiting.push(...rows)
  }
  return waiting
}
