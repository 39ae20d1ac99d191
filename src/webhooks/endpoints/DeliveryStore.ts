import { sql, type Transaction } from 'kysely'
import * as z from 'zod'
import {
  DELIVERY_FAILURES,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  type WebhookPage,
  type WebhookPageQuery,
} from '../../core/ports/webhooks.ts'
import { ValidationError } from '../../errors/input.ts'
import { DeliveryNotFoundError } from '../../errors/webhooks.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { holdEndpoints, wakeEndpoints } from '../delivering/claims.ts'
import { AGAIN, againQueue, NO_CHAIN, PENDING } from '../delivering/rows.ts'
import { writePlace } from './EndpointStore.ts'

const FailureOrNull = z.enum(DELIVERY_FAILURES).nullable()

/** What was sent to an endpoint, as its owner sees it. */
export class DeliveryStore {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Newest first. */
  async list(
    id: string,
    { first, after, state }: WebhookPageQuery & { readonly state: DeliveryState | undefined },
  ): Promise<WebhookPage<Delivery>> {
    const place = after === undefined ? undefined : readPlace(after)
    const rows = await this.#store.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', id)
      .$if(state !== undefined, (query) =>
        query.where('state', '=', state === undefined ? 0 : DELIVERY_STATES.indexOf(state)),
      )
      .$if(place !== undefined, (query) =>
        query.where(
          sql<boolean>`(created_at, chain_id, sequence) < (${place?.[0] ?? 0}, ${place?.[1] ?? 0}, ${place?.[2] ?? 0})`,
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('chain_id', 'desc')
      .orderBy('sequence', 'desc')
      .limit(first + 1)
      .execute()
    const page = rows.slice(0, first)
    const last = page.at(-1)
    const nextCursor =
      rows.length > first && last ? writePlace(last.created_at, last.chain_id, last.sequence) : null
    return { rows: page.map(toDelivery), nextCursor }
  }

  /** Lets one be delivered again, out of order. One that waits in order goes on waiting. */
  async again(id: string, eventId: string, now: number): Promise<Delivery> {
    return this.#store.transaction(async (db) => {
      await holdEndpoints(db, this.#store.kind, [id])
      // An event that was retracted and came back has its id twice. The newer one is meant.
      const found = await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('event_id', '=', eventId)
        .where('endpoint_id', '=', id)
        .orderBy('sequence', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (found === undefined) throw new DeliveryNotFoundError(eventId)
      if (found.state === PENDING) return toDelivery(found)
      const queue = againQueue(found.chain_id, found.sequence)
      const row = await db
        .updateTable('webhook_deliveries')
        .set({ ...AGAIN, queue, next_at: now })
        .where('endpoint_id', '=', id)
        .where('chain_id', '=', found.chain_id)
        .where('sequence', '=', found.sequence)
        .returningAll()
        .executeTakeFirstOrThrow()
      await wakeEndpoints(db, this.#store.kind, [id])
      return toDelivery(row)
    })
  }
}

/** Ends the pauses between attempts of an endpoint. */
export async function attemptNow(db: Transaction<Tables>, id: string, now: number): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ next_at: now })
    .where('endpoint_id', '=', id)
    .where('state', '=', sql.lit(PENDING))
    .where('next_at', '>', now)
    .execute()
}

function toDelivery(row: WebhookDeliveriesTable): Delivery {
  const state = DELIVERY_STATES[row.state] ?? 'pending'
  const isEvent = row.chain_id !== NO_CHAIN
  return {
    eventId: row.event_id,
    type: row.type,
    chainId: isEvent ? row.chain_id : null,
    sequence: isEvent ? row.sequence : null,
    state,
    again: row.again === 1,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: state === 'pending' ? row.next_at : null,
    attemptedAt: row.attempted_at,
    last:
      row.attempted_at === null
        ? null
        : {
            status: row.status,
            answer: row.answer,
            failure: FailureOrNull.parse(row.failure),
            durationMs: row.duration_ms ?? 0,
          },
    body: row.body,
  }
}

function readPlace(cursor: string): readonly [number, number, number] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const match = /^\[(\d{1,15}),(\d{1,16}),(\d{1,16})\]$/.exec(text)
  if (match === null) throw ValidationError.of('after', 'must be the nextCursor of an earlier page')
  return [Number(match[1]), Number(match[2]), Number(match[3])]
}
