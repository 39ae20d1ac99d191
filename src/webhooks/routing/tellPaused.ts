import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import { isoTime } from '../../presentation/day.ts'
import type { WebhookPaused } from '../../presentation/webhookMessages.ts'
import type { Tables } from '../../store/tables.ts'
import { NO_CHAIN } from '../endpoints/DeliveryStore.ts'
import type { EndpointRow } from '../endpoints/toWebhook.ts'
import { deliveryRow, insertDeliveries, type Message } from './insertDeliveries.ts'

type PausedReason = WebhookPaused['data']['reason']

const TYPE: WebhookPaused['type'] = 'webhook.paused'

/**
 * Tells an owner that an endpoint was paused, at the owner's other endpoints that name the type. Nobody else hears of it:
 * it is in no log.
 * @param version of the endpoints since this pause: no two pauses have the same
 */
export async function tellPaused(
  db: Transaction<Tables>,
  paused: EndpointRow,
  { reason, version, now }: { readonly reason: PausedReason; readonly version: number; readonly now: number },
): Promise<void> {
  const others = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('subject_id', '=', paused.subject_id)
    .where('id', '<>', paused.id)
    .where('types', 'like', `%"${TYPE}"%`)
    .execute()
  const message = toMessage(paused, reason, version, now)
  await insertDeliveries(
    db,
    others.map(({ id }) => deliveryRow(id, message, now)),
    now,
  )
}

/** Without the URL: whoever receives for the other endpoint need not know it, and it may hold a secret. */
function toMessage(paused: EndpointRow, reason: PausedReason, version: number, now: number): Message {
  const { id: webhookId, description, failing_since } = paused
  const id = `evt_${createHash('sha256').update(`${webhookId} ${version} ${now}`).digest('hex').slice(0, 40)}`
  const failingSince = failing_since === null ? null : Math.floor(failing_since / 1_000)
  const data = { webhookId, description, reason, failingSince }
  const time = isoTime(Math.floor(now / 1_000))
  const told: WebhookPaused = { type: TYPE, id, time, data }
  return {
    chain_id: NO_CHAIN,
    sequence: version,
    event_id: id,
    type: TYPE,
    queue: `webhook ${webhookId}`,
    body: JSON.stringify(told),
  }
}
