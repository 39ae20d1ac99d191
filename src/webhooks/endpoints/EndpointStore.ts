import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { WebhookPage, WebhookPageQuery } from '../../core/ports/webhooks.ts'
import { ValidationError } from '../../errors/input.ts'
import { MaxWebhooksError, WebhookNotFoundError } from '../../errors/webhooks.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import type { SecretBox } from '../../store/SecretBox.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookEndpointsTable } from '../../store/webhookTables.ts'
import { holdEndpoints, nextVersion, wakeEndpoints } from '../delivering/claims.ts'
import { type Beginning, writeBegins } from '../delivering/Listeners.ts'
import { beginLanes, beginRoute } from '../delivering/Router.ts'
import type { EndpointRow } from './toWebhook.ts'

/** When an endpoint that was made or changed looks whether it has missed anything. By then its router knows it. */
const LOOK_AFTER_MS = 1_500

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
    row: Omit<EndpointRow, 'begins' | 'version'>,
    chains: ReadonlyMap<number, { readonly leastBlock: number }>,
  ): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      // Locks the one row of the service, so nothing else makes endpoints meanwhile.
      const version = await nextVersion(db)
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('subject_id', '=', row.subject_id)
        .executeTakeFirstOrThrow()
      if (Number(count) >= this.#mostOfSubject) throw new MaxWebhooksError(this.#mostOfSubject)
      const begins = await beginnings(db, chains)
      const whole = { ...row, begins: writeBegins(begins), version }
      await db.insertInto('webhook_endpoints').values(whole).execute()
      for (const [chainId, { sequence }] of begins) {
        if (row.chain_id !== null && row.chain_id !== chainId) continue
        await beginRoute(db, chainId, row.finality, sequence)
        await beginLanes(db, chainId, new Map([[row.id, sequence]]))
      }
      await wakeEndpoints(db, this.#store.kind, [row.id], LOOK_AFTER_MS)
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
   * Changes columns.
   * @param changeOf what to change, of the row as nobody else changes it meanwhile
   */
  async update(
    subject: string,
    id: string,
    changeOf: (before: EndpointRow) => Partial<WebhookEndpointsTable>,
    also?: (db: Transaction<Tables>, before: EndpointRow) => Promise<unknown>,
  ): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      await holdEndpoints(db, this.#store.kind, [id])
      const before = await find(db, subject, id)
      await db
        .updateTable('webhook_endpoints')
        // Something has to be set, without a change too.
        .set({ subject_id: subject, ...changeOf(before) })
        .where('id', '=', id)
        .execute()
      await also?.(db, before)
      return find(db, subject, id)
    })
  }

  /**
   * As `update`, for what an endpoint hears. It goes on where it was, with its new wishes: until the router knows them, it reads
   * for itself.
   */
  async changeWishes(
    subject: string,
    id: string,
    changeOf: (before: EndpointRow) => Partial<WebhookEndpointsTable>,
  ): Promise<EndpointRow> {
    return this.update(subject, id, changeOf, async (db, { finality: from }) => {
      const { chain_id: own, finality: to } = await find(db, subject, id)
      const routes = await db
        .selectFrom('webhook_routes')
        .select(['chain_id', 'sequence'])
        .where('finality', '=', from)
        .execute()
      for (const { chain_id: chainId, sequence } of routes) {
        if (own !== null && own !== chainId) continue
        await beginRoute(db, chainId, to, sequence)
        await beginLanes(db, chainId, new Map([[id, sequence]]))
      }
      await wakeEndpoints(db, this.#store.kind, [id], LOOK_AFTER_MS)
      await db
        .updateTable('webhook_endpoints')
        .set({ version: await nextVersion(db) })
        .where('id', '=', id)
        .execute()
    })
  }

  async delete(subject: string, id: string): Promise<EndpointRow> {
    return this.#store.transaction(async (db) => {
      await holdEndpoints(db, this.#store.kind, [id])
      const row = await find(db, subject, id)
      await db.deleteFrom('webhook_endpoints').where('id', '=', id).execute()
      await db.deleteFrom('webhook_lanes').where('endpoint_id', '=', id).execute()
      await db.deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).execute()
      await nextVersion(db)
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

/** Where an endpoint begins that is made now: after what is in the log. */
async function beginnings(
  db: Transaction<Tables>,
  chains: ReadonlyMap<number, { readonly leastBlock: number }>,
): Promise<ReadonlyMap<number, Beginning>> {
  const logs = await db.selectFrom('index_chains').select(['chain_id', 'log_sequence']).execute()
  const sequences = new Map(logs.map((log) => [log.chain_id, log.log_sequence]))
  return new Map(
    [...chains].map(([chainId, { leastBlock }]) => [
      chainId,
      { sequence: sequences.get(chainId) ?? 0, leastBlock },
    ]),
  )
}

/** What the secrets of an endpoint are sealed for. */
export function contextOf(id: string): string {
  return `webhook_endpoints ${id}`
}

/** The secrets that sign now: the newest, and for a day the one before. Throws SealedError. */
export function secretsOf(
  box: SecretBox,
  row: Pick<EndpointRow, 'id' | 'secret' | 'old_secret' | 'old_secret_until'>,
  now: number,
): readonly string[] {
  const { id, secret, old_secret: old, old_secret_until: until } = row
  const sealed = old !== null && until !== null && until > now ? [secret, old] : [secret]
  return sealed.map((one) => box.open(one, contextOf(id)))
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
