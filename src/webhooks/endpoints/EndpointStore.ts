import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { PauseReason, WebhookPage, WebhookPageQuery } from '../../core/ports/webhooks.ts'
import { ValidationError } from '../../errors/input.ts'
import { MaxWebhooksError, WebhookNotFoundError } from '../../errors/webhooks.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookEndpointsTable } from '../../store/webhookTables.ts'
import { type Beginning, writeBegins } from './begins.ts'
import { changeEndpoints } from './lockEndpoints.ts'
import type { EndpointRow } from './toWebhook.ts'

/** The endpoints in the store, each seen by its own subject only. */
export class EndpointStore {
  readonly #store: Store
  readonly #mostOfSubject: number

  constructor(store: Store, mostOfSubject: number) {
    this.#store = store
    this.#mostOfSubject = mostOfSubject
  }

  /**
   * Throws MaxWebhooksError. The bound holds for requests at the same time too.
   * @param chains those that it may hear of, with the oldest block that is not the past
   */
  async insert(
    row: Omit<EndpointRow, 'begins'>,
    chains: ReadonlyMap<number, { readonly leastBlock: number }>,
  ): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      // Locks the one row of the service, so nothing else makes endpoints or hands out events meanwhile.
      await changeEndpoints(db)
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('subject_id', '=', row.subject_id)
        .executeTakeFirstOrThrow()
      if (Number(count) >= this.#mostOfSubject) throw new MaxWebhooksError(this.#mostOfSubject)
      const whole = { ...row, begins: writeBegins(await begin(db, row.finality, chains)) }
      await db.insertInto('webhook_endpoints').values(whole).execute()
      return whole
    })
  }

  get(subject: string, id: string): Promise<EndpointRow> {
    return find(this.#store.db, subject, id)
  }

  async list(subject: string, { first, after }: WebhookPageQuery): Promise<WebhookPage<EndpointRow>> {
    const place = after === undefined ? undefined : readPlace(after)
    const rows = await this.#store.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('subject_id', '=', subject)
      .$if(place !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, id) < (${place?.[0] ?? 0}, ${place?.[1] ?? ''})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(first + 1)
      .execute()
    const page = rows.slice(0, first)
    const last = page.at(-1)
    const nextCursor = rows.length > first && last ? writePlace(last.created_at, last.id) : null
    return { rows: page, nextCursor }
  }

  /**
   * Changes columns, and tells who hands out events.
   * @param changeOf what to change, of the row as nobody else changes it meanwhile
   */
  async update(
    subject: string,
    id: string,
    changeOf: (before: EndpointRow) => Partial<WebhookEndpointsTable>,
    also?: (db: Transaction<Tables>, before: EndpointRow, after: EndpointRow) => Promise<void>,
  ): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      await changeEndpoints(db)
      const before = await find(db, subject, id)
      const row = await db
        .updateTable('webhook_endpoints')
        // Something has to be set, without a change too.
        .set({ subject_id: subject, ...changeOf(before) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      if (also === undefined) return row
      await also(db, before, row)
      return db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    })
  }

  async delete(subject: string, id: string): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      await changeEndpoints(db)
      const row = await db
        .deleteFrom('webhook_endpoints')
        .where('id', '=', id)
        .where('subject_id', '=', subject)
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) throw new WebhookNotFoundError(id)
      await db.deleteFrom('webhook_feeds').where('endpoint_id', '=', id).execute()
      await db.deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).execute()
      return row
    })
  }
}

/** Throws WebhookNotFoundError, for an endpoint of another subject too. */
async function find(db: Queries, subject: string, id: string): Promise<EndpointRow> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('subject_id', '=', subject)
    .executeTakeFirst()
  if (row === undefined) throw new WebhookNotFoundError(id)
  return row
}

/** Where it begins: after what is in the log now. Handing out begins there too, where it had not begun yet. */
async function begin(
  db: Transaction<Tables>,
  finality: string,
  chains: ReadonlyMap<number, { readonly leastBlock: number }>,
): Promise<ReadonlyMap<number, Beginning>> {
  const logs = await db.selectFrom('index_chains').select(['chain_id', 'log_sequence']).execute()
  const sequences = new Map(logs.map((log) => [log.chain_id, log.log_sequence]))
  const begins = new Map<number, Beginning>()
  for (const [chainId, { leastBlock }] of chains) {
    const sequence = sequences.get(chainId) ?? 0
    begins.set(chainId, { sequence, leastBlock })
    await db
      .insertInto('webhook_cursors')
      .values({ chain_id: chainId, finality, sequence })
      .onConflict((row) => row.doNothing())
      .execute()
  }
  return begins
}

/**
 * Stops an endpoint. What is handed out from now on is kept for it by a feed of each chain that it hears of, which goes on
 * where the others were. Resolves with the endpoint, or `undefined` if it was paused already.
 */
export async function pauseEndpoint(
  db: Transaction<Tables>,
  id: string,
  reason: PauseReason,
  now: number,
): Promise<EndpointRow | undefined> {
  const paused = await db
    .updateTable('webhook_endpoints')
    .set({ paused_at: now, paused_reason: reason, due_at: null })
    .where('id', '=', id)
    .where('paused_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (paused === undefined) return undefined
  const cursors = await db
    .selectFrom('webhook_cursors')
    .select(['chain_id', 'sequence'])
    .where('finality', '=', paused.finality)
    .execute()
  for (const { chain_id, sequence } of cursors) {
    if (paused.chain_id !== null && paused.chain_id !== chain_id) continue
    await db
      .insertInto('webhook_feeds')
      .values({ endpoint_id: id, chain_id, again: 0, sequence, until_sequence: null })
      .onConflict((row) => row.doNothing())
      .execute()
  }
  return paused
}

/**
 * Lets an endpoint go on where it was, when it wants events to be more or less sure than before: it is fed on its own until
 * it is where all others of its new kind are.
 */
export async function changeFinality(
  db: Transaction<Tables>,
  id: string,
  { chainId, from, to }: { chainId: number | null; from: string; to: string },
): Promise<void> {
  const cursors = await db
    .selectFrom('webhook_cursors')
    .select(['chain_id', 'sequence'])
    .where('finality', '=', from)
    .execute()
  for (const { chain_id, sequence } of cursors) {
    if (chainId !== null && chainId !== chain_id) continue
    await db
      .insertInto('webhook_cursors')
      .values({ chain_id, finality: to, sequence })
      .onConflict((row) => row.doNothing())
      .execute()
    await db
      .insertInto('webhook_feeds')
      .values({ endpoint_id: id, chain_id, again: 0, sequence, until_sequence: null })
      .onConflict((row) => row.doNothing())
      .execute()
  }
}

export function writePlace(...parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function readPlace(cursor: string): readonly [number, string] {
  const match = /^\[(\d{1,15}),"([0-9a-z_]{1,60})"\]$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  )
  if (match === null) throw ValidationError.of('after', 'must be the nextCursor of an earlier page')
  return [Number(match[1]), match[2] ?? '']
}
