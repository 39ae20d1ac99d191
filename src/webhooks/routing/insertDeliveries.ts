import { type Insertable, sql, type Transaction } from 'kysely'
import type { LoggedEvent } from '../../core/ports/events.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { FAILURES_TO_PAUSE } from '../delivering/retries.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { queueOf } from './Listeners.ts'

/** Rows in one statement. */
const CHUNK = 200

/** What is told to endpoints. */
export type Message = Pick<
  WebhookDeliveriesTable,
  'chain_id' | 'sequence' | 'event_id' | 'type' | 'queue' | 'body'
>

/** Made once for all endpoints that hear the event. */
export function eventMessage(event: LoggedEvent, wire: WireEvent): Message {
  const { chainId: chain_id, sequence, id: event_id, type } = event
  return { chain_id, sequence, event_id, type, queue: queueOf(event), body: JSON.stringify(wire) }
}

/** What nobody has attempted yet: columns that are left out are null. */
type NewDelivery = Insertable<WebhookDeliveriesTable>

/** A message as one endpoint gets it. */
export function deliveryRow(endpointId: string, message: Message, now: number): NewDelivery {
  return {
    endpoint_id: endpointId,
    ...message,
    state: PENDING,
    again: 0,
    created_at: now,
    next_at: now,
    attempts: 0,
  }
}

/** Adds deliveries that are not there yet, and wakes whoever delivers to these endpoints. */
export async function insertDeliveries(
  db: Transaction<Tables>,
  rows: readonly NewDelivery[],
  now: number,
): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) {
    await db
      .insertInto('webhook_deliveries')
      .values(rows.slice(start, start + CHUNK))
      .onConflict((row) => row.doNothing())
      .execute()
  }
  await wake(db, [...new Set(rows.map((row) => row.endpoint_id))], now)
}

/** Lets endpoints be looked at. A pause between attempts that is longer goes on. */
export async function wake(db: Transaction<Tables>, ids: readonly string[], now: number): Promise<void> {
  // In one order, so that two processes cannot deadlock on each other's rows.
  const ordered = ids.toSorted()
  for (let start = 0; start < ordered.length; start += CHUNK) {
    await db
      .updateTable('webhook_endpoints')
      .set({
        // An endpoint that keeps failing is looked at when its pause is over. One that is late keeps its place.
        due_at: sql<number>`case
          when due_at is null or (due_at > ${now} and failures < ${sql.lit(FAILURES_TO_PAUSE)}) then ${now}
          else due_at end`,
      })
      .where('id', 'in', ordered.slice(start, start + CHUNK))
      .where('paused_at', 'is', null)
      .execute()
  }
}
