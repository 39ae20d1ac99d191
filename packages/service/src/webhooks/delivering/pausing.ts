import { createHash } from 'node:crypto'
import { isoTime } from '@remit/engine/presentation/day'
import { sql, type Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { EndpointRow } from '../endpoints/rows.ts'
import type { WebhookPaused } from '../webhookMessages.ts'
import { nextVersion, wakeEndpoints } from './claims.ts'
import { NO_CHAIN, newDelivery } from './rows.ts'

const PAUSED: WebhookPaused['type'] = 'webhook.paused'

/** Pauses an endpoint: its cursors stay where they are. Resolves with false if it was paused already. */
export async function pauseEndpoint(
  db: Transaction<Tables>,
  id: string,
  reason: 'owner' | 'gone' | 'failing',
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoints')
    .set({
      paused_at: now,
      paused_reason: reason,
      due_at: sql<number>`case when claimed = 1 then due_at end`,
    })
    .where('id', '=', id)
    .where('paused_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The other endpoints of the owner that name the type `webhook.paused`: these, and nobody else, are told of the pause. */
export async function othersToTell(db: Transaction<Tables>, paused: EndpointRow): Promise<readonly string[]> {
  const others = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('subject_id', '=', paused.subject_id)
    .where('id', '<>', paused.id)
    .where('types', 'like', `%"${PAUSED}"%`)
    .execute()
  return others.map(({ id }) => id)
}

/** Has other endpoints of the owner told that one was paused. @param others from `othersToTell`, locked by this transaction */
export async function tellPaused(
  db: Transaction<Tables>,
  kind: Store['kind'],
  { id: webhookId, description }: EndpointRow,
  others: readonly string[],
  told: { readonly reason: 'gone' | 'failing'; readonly failingSince: number | null; readonly now: number },
): Promise<void> {
  const there = await wakeEndpoints(db, kind, others)
  if (there.length === 0) return
  const { reason, now } = told
  // No two pauses have the same version.
  const version = await nextVersion(db)
  const id = `evt_${createHash('sha256').update(`${webhookId} ${version} ${now}`).digest('hex').slice(0, 40)}`
  const failingSince = told.failingSince === null ? null : Math.floor(told.failingSince / 1_000)
  // Without the URL: whoever receives for the other endpoint need not know it, and it may hold a secret.
  const data = { webhookId, description, reason, failingSince }
  const message: WebhookPaused = { type: PAUSED, id, time: isoTime(Math.floor(now / 1_000)), data }
  const columns = { chain_id: NO_CHAIN, sequence: version, event_id: id, type: PAUSED }
  const row = { ...columns, queue: `webhook ${webhookId} ${version}`, body: JSON.stringify(message) }
  await db
    .insertInto('webhook_deliveries')
    .values(there.map((other) => newDelivery(other, row, now)))
    .execute()
}
