import type { Selectable } from 'kysely'
import { getAddress, isHex } from 'viem'
import * as z from 'zod'
import { FINALITIES } from '../../core/ports/events.ts'
import { PAUSE_REASONS, WEBHOOK_TYPES, type Webhook } from '../../core/ports/webhooks.ts'
import type { WebhookEndpointsTable } from '../../store/webhookTables.ts'

export type EndpointRow = Selectable<WebhookEndpointsTable>

const Types = z.array(z.enum(WEBHOOK_TYPES)).nullable()
const Finality = z.enum(FINALITIES)
const PausedReason = z.enum(PAUSE_REASONS).nullable()

/** @param row the columns without secrets are enough */
export function toWebhook(row: Omit<EndpointRow, 'secret' | 'old_secret' | 'begins'>): Webhook {
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

export function readTypes(text: string | null): Webhook['types'] {
  return text === null ? null : Types.parse(JSON.parse(text))
}

function hexOrNull(text: string | null) {
  return text !== null && isHex(text) ? text : null
}
