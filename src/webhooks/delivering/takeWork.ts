import { sql, type Transaction } from 'kysely'
import type { EventLog, LoggedEvent } from '../../core/ports/events.ts'
import type { Log } from '../../core/ports/log.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { type Choice, choose, type Rest } from './choose.ts'
import {
  type Claim,
  chunksOf,
  doneRows,
  extendClaims,
  grouped,
  type HeldEndpoint,
  holdEndpoints,
  owns,
} from './claims.ts'
import { AGAIN, MAIN } from './Router.ts'
import { readStandings } from './standings.ts'

export interface TakeOptions {
  readonly store: Store
  readonly events: EventLog
  /** Events as they travel. Throws what a view of their chain throws. */
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly chainIds: readonly number[]
  readonly log: Log
  /** From the moment on that the rows are written. */
  readonly claimMs: number
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
  'first_attempt_at',
] as const satisfies readonly (keyof WebhookDeliveriesTable)[]

export type WaitingDelivery = Pick<WebhookDeliveriesTable, (typeof WAITING)[number]>

/** What a turn does. */
export interface Work extends Claim {
  /** In the order in which they are sent. */
  readonly deliveries: readonly WaitingDelivery[]
  readonly rest: Rest
}

const NO_REST: Rest = { since: undefined, late: new Map(), soon: false }

/**
 * Finds what claimed endpoints are sent now, and writes rows of all that before its first byte, together with how far they have
 * read. So what may have been heard has a row: after a kill it is sent again, and if it is taken back, that is told.
 *
 * Leaves out endpoints that others have claimed meanwhile.
 */
export async function takeWork(options: TakeOptions, claims: readonly Claim[]): Promise<readonly Work[]> {
  const { store, events, chainIds, log } = options
  const warn = (chainId: number, error: unknown) => {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
    log.warn('Events of a chain cannot be sent to webhooks now', { chainId, reason })
  }
  const reads = await readStandings({ store, events, chainIds, onUnreadable: warn }, claims)
  const without = new Set(reads.unreadable)
  for (;;) {
    const choices = reads.standings.map((standing) => choose(reads, standing, without))
    const { bodies, failed } = await encodeAll(options.encode, choices)
    // The other chains wait for nothing.
    if (failed.size === 0) return store.transaction((db) => write(db, options, choices, bodies))
    for (const [chainId, error] of failed) {
      warn(chainId, error)
      without.add(chainId)
    }
  }
}

async function encodeAll(encode: TakeOptions['encode'], choices: readonly Choice[]) {
  const bodies = new Map<LoggedEvent, string>()
  const failed = new Map<number, unknown>()
  const events = new Set(
    choices.flatMap(({ items }) => items.flatMap(({ event }) => (event === undefined ? [] : [event]))),
  )
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

async function write(
  db: Transaction<Tables>,
  { store, claimMs }: TakeOptions,
  choices: readonly Choice[],
  bodies: ReadonlyMap<LoggedEvent, string>,
): Promise<readonly Work[]> {
  const held = await holdEndpoints(
    db,
    store.kind,
    choices.map(({ claim }) => claim.endpoint.id),
  )
  const own = choices.filter(({ claim }) => owns(claim.endpoint, held.get(claim.endpoint.id)))
  const good = own.filter((choice) => stands(choice, held.get(choice.claim.endpoint.id)))
  const isWoken = (id: string) => held.get(id)?.woken === 1
  await extendClaims(
    db,
    store.kind,
    own.map(({ claim }) => claim.endpoint.id),
    claimMs,
  )
  await writeLanes(db, good, isWoken)
  const rows = [...(await insertRows(db, good, bodies)), ...(await readRows(db, good))]
  const byPlace = new Map(rows.map((row) => [placeOf(row.endpoint_id, row.chain_id, row.sequence), row]))
  return own.map((choice) => {
    const { claim, items, rest } = choice
    if (!good.includes(choice)) return { ...claim, deliveries: [], rest: NO_REST }
    const deliveries = items.flatMap(({ chainId, sequence }) => {
      const row = byPlace.get(placeOf(claim.endpoint.id, chainId, sequence))
      return row === undefined ? [] : [row]
    })
    return { ...claim, deliveries, rest }
  })
}

/** Whether what was chosen is right still. Who changes that wakes the endpoint, so it is chosen again in the next turn. */
function stands({ claim: { endpoint }, moved, ended }: Choice, held: HeldEndpoint | undefined): boolean {
  if (held === undefined || held.paused_at !== null || held.version !== endpoint.version) return false
  // Its owner may want other things once more than those that were read.
  const readsAgain = [...moved, ...ended].some(({ queue }) => queue === AGAIN)
  return !(readsAgain && held.woken === 1)
}

async function writeLanes(
  db: Transaction<Tables>,
  choices: readonly Choice[],
  isWoken: (id: string) => boolean,
): Promise<void> {
  const all = choices.flatMap(({ ended }) => ended)
  // An endpoint that was woken meanwhile may have to read on from here: who woke it saw this cursor.
  const stays = all.filter(({ endpoint_id, queue }) => queue === MAIN && isWoken(endpoint_id))
  const ended = all.filter((lane) => !stays.includes(lane))
  for (const chunk of chunksOf([...choices.flatMap(({ moved }) => moved), ...stays])) {
    await db
      .insertInto('webhook_lanes')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['endpoint_id', 'chain_id', 'queue'])
          .doUpdateSet((set) => ({ sequence: set.ref('excluded.sequence') })),
      )
      .execute()
  }
  for (const chunk of chunksOf(ended)) {
    await sql`
      with ${doneRows({ endpoint_id: 'text', chain_id: 'bigint', queue: 'text' }, chunk)}
      delete from webhook_lanes
      where (endpoint_id, chain_id, queue) in (select endpoint_id, chain_id, queue from done)`.execute(db)
  }
}

/** Adds rows that are not there yet, and lets those wait again that are wanted once more. Resolves with both. */
async function insertRows(
  db: Transaction<Tables>,
  choices: readonly Choice[],
  bodies: ReadonlyMap<LoggedEvent, string>,
): Promise<readonly WaitingDelivery[]> {
  const now = Date.now()
  const rows = choices.flatMap(({ claim, items }) =>
    items.flatMap(({ event, queue, again }) => {
      const body = event && bodies.get(event)
      if (event === undefined || body === undefined) return []
      const { chainId: chain_id, sequence, id: event_id, type } = event
      const message = { chain_id, sequence, event_id, type, queue, body }
      return [{ ...newDelivery(claim.endpoint.id, message, now), again: again ? 1 : 0 }]
    }),
  )
  const written: WaitingDelivery[] = []
  for (const chunk of chunksOf(rows)) {
    written.push(
      ...(await db
        .insertInto('webhook_deliveries')
        .values(chunk)
        .onConflict((row) =>
          row
            .columns(['endpoint_id', 'chain_id', 'sequence'])
            .doUpdateSet((set) => ({
              state: PENDING,
              again: 1,
              queue: set.ref('excluded.queue'),
              next_at: now,
              attempts: 0,
              first_attempt_at: null,
            }))
            .where('excluded.again', '=', 1)
            .where('webhook_deliveries.state', '<>', PENDING),
        )
        .returning(WAITING)
        .execute()),
    )
  }
  return written
}

/** A delivery that nobody has attempted yet: columns that are left out are null. */
export function newDelivery(
  endpointId: string,
  message: Pick<WebhookDeliveriesTable, 'chain_id' | 'sequence' | 'event_id' | 'type' | 'queue' | 'body'>,
  now: number,
) {
  const waiting = { state: PENDING, again: 0, created_at: now, next_at: now, attempts: 0 }
  return { endpoint_id: endpointId, ...message, ...waiting }
}

/** The chosen rows that waited before. */
async function readRows(
  db: Transaction<Tables>,
  choices: readonly Choice[],
): Promise<readonly WaitingDelivery[]> {
  const places = choices.flatMap(({ claim, items }) =>
    items
      .filter(({ event }) => event === undefined)
      .map(({ chainId, sequence }) => ({ endpoint_id: claim.endpoint.id, chain_id: chainId, sequence })),
  )
  const types = { endpoint_id: 'text', chain_id: 'bigint', sequence: 'bigint' } as const
  const read: WaitingDelivery[] = []
  for (const chunk of chunksOf(places)) {
    const { rows } = await sql<WaitingDelivery>`
      with ${doneRows(types, chunk)}
      select ${sql.join(WAITING.map((column) => sql.ref(column)))} from webhook_deliveries
      where (endpoint_id, chain_id, sequence) in (select endpoint_id, chain_id, sequence from done)
        and state = ${sql.lit(PENDING)}`.execute(db)
    read.push(...rows)
  }
  return read
}

function placeOf(endpointId: string, chainId: number, sequence: number): string {
  return `${endpointId} ${chainId} ${sequence}`
}
