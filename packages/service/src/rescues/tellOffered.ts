import { createHash } from 'node:crypto'
import type { Rescue, RescueNews } from '@remit/engine/ports/rescues'
import { isoTime } from '@remit/engine/presentation/day'
import type { Transaction } from 'kysely'
import * as z from 'zod'
import type { Store } from '../store/openStore.ts'
import type { Tables } from '../store/tables.ts'
import { nextVersion, wakeEndpoints } from '../webhooks/delivering/claims.ts'
import { NO_CHAIN, newDelivery } from '../webhooks/delivering/rows.ts'
import { RescueOffered } from '../webhooks/webhookMessages.ts'

const OFFERED: RescueOffered['type'] = 'rescue.offered'

/**
 * Tells the provider's own webhooks that name the type. It is no event of a chain, so no log holds it, and nobody else hears of
 * it. The signature is not in it: receivers write to logs what comes.
 */
export async function tellOffered(
  db: Transaction<Tables>,
  kind: Store['kind'],
  rescue: Rescue,
  { subscriptionIds }: RescueNews,
): Promise<void> {
  const { id: rescueId, chainId, provider, owner, token, value, deadline, nonce, createdAt } = rescue
  const isWanted = (wish: string | null, ...facts: readonly string[]) =>
    wish === null || facts.some((fact) => fact.toLowerCase() === wish)
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'chain_id', 'provider', 'account', 'subscription_id'])
    .where('subject_id', '=', provider.toLowerCase())
    .where('types', 'like', `%"${OFFERED}"%`)
    .execute()
  const hearing = endpoints.filter(
    (one) =>
      (one.chain_id === null || one.chain_id === chainId) &&
      isWanted(one.provider, provider) &&
      isWanted(one.account, owner) &&
      isWanted(one.subscription_id, ...subscriptionIds),
  )
  const there = await wakeEndpoints(
    db,
    kind,
    hearing.map(({ id }) => id),
  )
  if (there.length === 0) return
  // No two messages have the same.
  const version = await nextVersion(db)
  const id = `evt_${createHash('sha256').update(`${rescueId} ${version}`).digest('hex').slice(0, 40)}`
  const data = { rescueId, provider, owner, token, value, deadline, nonce }
  const message = z.encode(RescueOffered, {
    type: OFFERED,
    id,
    time: isoTime(Math.floor(createdAt / 1_000)),
    chainId,
    data: { ...data, subscriptions: [...subscriptionIds] },
  })
  const columns = { chain_id: NO_CHAIN, sequence: version, event_id: id, type: OFFERED }
  const row = { ...columns, queue: `rescue ${rescueId}`, body: JSON.stringify(message) }
  await db
    .insertInto('webhook_deliveries')
    .values(there.map((endpoint) => newDelivery(endpoint, row, createdAt)))
    .execute()
}
