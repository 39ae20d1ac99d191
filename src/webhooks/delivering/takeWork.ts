import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { lockEndpoints } from '../endpoints/lockEndpoints.ts'
import type { EndpointRow } from '../endpoints/toWebhook.ts'

/** Deliveries of one endpoint in one turn. Then others have theirs. */
const MOST_DELIVERIES = 20

export type WorkingEndpoint = Pick<
  EndpointRow,
  'id' | 'url' | 'secret' | 'old_secret' | 'old_secret_until' | 'failures' | 'failing_since' | 'shard'
> & {
  /** How long it had waited for its turn. */
  readonly waitedMs: number
}

export type WaitingDelivery = Pick<
  WebhookDeliveriesTable,
  | 'endpoint_id'
  | 'chain_id'
  | 'sequence'
  | 'event_id'
  | 'type'
  | 'queue'
  | 'body'
  | 'attempts'
  | 'first_attempt_at'
>

export interface Work {
  readonly endpoint: WorkingEndpoint
  /** In the order in which they are sent. */
  readonly deliveries: readonly WaitingDelivery[]
}

interface TakeOptions {
  readonly shards: readonly number[]
  readonly most: number
  /** Whether endpoints that have just failed are taken too. */
  readonly failing: boolean
  readonly now: number
  /** Endpoints that are being sent to. Their deliveries could be sent between this read and its answer, and then again. */
  readonly except: readonly string[]
  /** If this process is killed, the endpoint is looked at again after this time. */
  readonly claimMs: number
}

/** Takes endpoints that have something to be sent now, those that wait longest first. */
export async function takeWork(store: Store, options: TakeOptions): Promise<readonly Work[]> {
  const { shards, most, failing, now, except, claimMs } = options
  if (shards.length === 0 || most <= 0) return []
  const due = await store.db
    .selectFrom('webhook_endpoints')
    .select(['id', 'due_at'])
    .where('due_at', '<=', now)
    .where('paused_at', 'is', null)
    .where('shard', 'in', shards)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .$if(!failing, (query) => query.where('failures', '=', 0))
    .orderBy('due_at')
    .limit(most)
    .execute()
  if (due.length === 0) return []
  const dueSince = new Map(due.map((one) => [one.id, one.due_at ?? now]))
  const rows = await store.transaction(async (db) => {
    await lockEndpoints(db)
    return db
      .updateTable('webhook_endpoints')
      .set({ due_at: now + claimMs })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .where('due_at', '<=', now)
      .where('paused_at', 'is', null)
      .returning([
        'id',
        'url',
        'secret',
        'old_secret',
        'old_secret_until',
        'failures',
        'failing_since',
        'shard',
      ])
      .execute()
  })
  const endpoints = rows.map((row) => ({ ...row, waitedMs: now - (dueSince.get(row.id) ?? now) }))
  const waiting = await readWaiting(
    store,
    endpoints.map(({ id }) => id),
    now,
  )
  const byEndpoint = new Map<string, WaitingDelivery[]>()
  for (const row of waiting)
    byEndpoint.set(row.endpoint_id, [...(byEndpoint.get(row.endpoint_id) ?? []), row])
  return endpoints.map((endpoint) => ({ endpoint, deliveries: byEndpoint.get(endpoint.id) ?? [] }))
}

/**
 * The first deliveries of each endpoint, without queues whose first one waits for its next attempt. Chains take turns: behind
 * the backlog of one, what happens on another would wait as long as that backlog.
 */
async function readWaiting(
  store: Store,
  ids: readonly string[],
  now: number,
): Promise<readonly WaitingDelivery[]> {
  if (ids.length === 0) return []
  const byChain = store.db
    .selectFrom('webhook_deliveries as one')
    .select([
      'one.endpoint_id',
      'one.chain_id',
      'one.sequence',
      'one.event_id',
      'one.type',
      'one.queue',
      'one.body',
      'one.attempts',
      'one.first_attempt_at',
      'one.again',
      sql<number>`row_number() over (partition by one.endpoint_id, one.again, one.chain_id order by one.sequence)`.as(
        'place_in_chain',
      ),
    ])
    .where('one.endpoint_id', 'in', ids)
    .where('one.state', '=', sql.lit(PENDING))
    .where(queueIsFree(now))
    .as('by_chain')
  const ranked = store.db
    .selectFrom(byChain)
    .selectAll()
    .select(
      sql<number>`row_number() over (partition by endpoint_id order by again, place_in_chain, chain_id)`.as(
        'place',
      ),
    )
    .where('place_in_chain', '<=', MOST_DELIVERIES)
    .as('ranked')
  return store.db
    .selectFrom(ranked)
    .selectAll()
    .where('place', '<=', MOST_DELIVERIES)
    .orderBy('endpoint_id')
    .orderBy('place')
    .execute()
}

/** Whether no delivery of the queue of `one` waits for its next attempt. */
export function queueIsFree(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (
    select 1 from webhook_deliveries as held
    where held.endpoint_id = one.endpoint_id and held.queue = one.queue
      and held.state = ${sql.lit(PENDING)} and held.next_at > ${now})`
}
