import { FINALITIES } from '@remit/engine/ports/events'
import type { Selectable } from 'kysely'
import { getAddress, isHex } from 'viem'
import * as z from 'zod'
import {
  DELIVERY_FAILURES,
  DELIVERY_STATES,
  type Delivery,
  type NewWebhook,
  PAUSE_REASONS,
  WEBHOOK_TYPES,
  type Webhook,
} from '../../ports/webhooks.ts'
import type { SecretBox } from '../../store/SecretBox.ts'
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../store/tables.ts'
import { NO_CHAIN } from '../delivering/rows.ts'

// Webhooks and deliveries, from rows of the store to what the API answers, and back.

export type EndpointRow = Selectable<WebhookEndpointsTable>

const Types = z.array(z.enum(WEBHOOK_TYPES)).nullable()
const Finality = z.enum(FINALITIES)
const PausedReason = z.enum(PAUSE_REASONS).nullable()
const FailureOrNull = z.enum(DELIVERY_FAILURES).nullable()

export function toWebhook(row: EndpointRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    chainId: row.chain_id,
    types: readTypes(row.types),
    subscriptionId: hexOrNull(row.subscription_id),
    provider: row.provider === null ? null : getAddress(row.provider),
    account: row.account === null ? null : getAddress(row.account),
    finality: Finality.parse(row.finality),
    createdAt: row.created_at,
    pausedAt: row.paused_at,
    pausedReason: PausedReason.parse(row.paused_reason),
    deliveredAt: row.delivered_at,
    failingSince: row.failing_since,
    oldSecretUntil: row.old_secret_until,
  }
}

/** What an owner says of an endpoint, as columns. */
export function columnsOf(webhook: NewWebhook) {
  return {
    url: webhook.url,
    description: webhook.description,
    chain_id: webhook.chainId,
    types: webhook.types === null ? null : JSON.stringify(webhook.types),
    subscription_id: webhook.subscriptionId?.toLowerCase() ?? null,
    provider: webhook.provider?.toLowerCase() ?? null,
    account: webhook.account?.toLowerCase() ?? null,
    finality: webhook.finality,
  }
}

export function readTypes(text: string | null): Webhook['types'] {
  return text === null ? null : Types.parse(JSON.parse(text))
}

function hexOrNull(text: string | null) {
  return text !== null && isHex(text) ? text : null
}

export function toDelivery(row: WebhookDeliveriesTable): Delivery {
  const isEvent = row.chain_id !== NO_CHAIN
  const state = DELIVERY_STATES[row.state] ?? 'pending'
  const { status, answer } = row
  const last = { status, answer, failure: FailureOrNull.parse(row.failure), durationMs: row.duration_ms ?? 0 }
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
    last: row.attempted_at === null ? null : last,
    body: row.body,
  }
}

/** The context for which an endpoint's secrets are sealed (`SecretBox`). */
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
