import { sql, type Transaction } from 'kysely'
import { getAddress, isHex } from 'viem'
import { EVENT_TYPES, type EventFilters, FINALITIES } from '../../core/ports/events.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookFeedsTable } from '../../store/webhookTables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { changeEndpoints, lockEndpoints } from '../endpoints/lockEndpoints.ts'
import { readTypes } from '../endpoints/toWebhook.ts'
import { deliveryRow, eventMessage, insertDeliveries } from './insertDeliveries.ts'
import { concerns, type ListenerColumns, toListener } from './Listeners.ts'
import type { RouterOptions } from './Router.ts'

const MOST_EVENTS = 200
/** A feed goes on when fewer deliveries than this wait. */
const LOW_PENDING = 1_000
/** Feeds in one round. */
const MOST_FEEDS = 100

/** A feed with its endpoint, whose own chain is in `own_chain_id`. */
type Feed = WebhookFeedsTable &
  Omit<ListenerColumns, 'id' | 'chain_id'> & { readonly own_chain_id: number | null }

/**
 * Feeds single endpoints from the log: those that were paused or were far behind, until they have caught up with all
 * others, and those whose owners want something again.
 */
export class Feeder {
  readonly #options: RouterOptions
  readonly #now: () => number

  constructor(options: RouterOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Takes each feed of these parts of the work a step further. Resolves with whether there was anything to do. */
  async feed(shards: readonly number[]): Promise<boolean> {
    if (shards.length === 0) return false
    const feeds = await this.#options.store.db
      .selectFrom('webhook_feeds')
      .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'webhook_feeds.endpoint_id')
      .select([
        'endpoint_id',
        'webhook_feeds.chain_id',
        'again',
        'sequence',
        'until_sequence',
        'webhook_endpoints.chain_id as own_chain_id',
        'types',
        'subscription_id',
        'provider',
        'account',
        'finality',
        'begins',
        'created_at',
      ])
      .where('webhook_endpoints.shard', 'in', shards)
      .where('webhook_endpoints.paused_at', 'is', null)
      .where((feed) =>
        feed(
          feed
            .selectFrom('webhook_deliveries')
            .select((query) => query.fn.countAll<number>().as('count'))
            .whereRef('webhook_deliveries.endpoint_id', '=', 'webhook_feeds.endpoint_id')
            .where('state', '=', sql.lit(PENDING)),
          '<',
          LOW_PENDING,
        ),
      )
      .limit(MOST_FEEDS)
      .execute()
    let moved = false
    for (const feed of feeds) moved = (await this.#step(feed)) || moved
    return moved
  }

  async #step(feed: Feed): Promise<boolean> {
    const { events: log, encode, store } = this.#options
    const finality = FINALITIES.find((one) => one === feed.finality) ?? 'final'
    const filters = filtersOf(feed)
    const page = await log.read(feed.chain_id, {
      after: feed.sequence,
      first: MOST_EVENTS,
      filters,
      finality,
    })
    const until = feed.until_sequence ?? Number.POSITIVE_INFINITY
    const again = feed.again === 1
    const listener = toListener({ ...feed, id: feed.endpoint_id, chain_id: feed.own_chain_id }, finality, [])
    const wanted = page.events.filter(
      (event) => event.sequence <= until && (again || concerns(listener, event)),
    )
    const wires = await encode(feed.chain_id, wanted)
    const isAtEnd = page.next >= until || (again && !page.hasMore)
    return store.transaction(async (db) => {
      await lockEndpoints(db)
      if (!(await this.#move(db, feed, page.next, isAtEnd))) return false
      const now = this.#now()
      const rows = wanted.flatMap((event, place) => {
        const wire = wires[place]
        return wire === undefined ? [] : [deliveryRow(feed.endpoint_id, eventMessage(event, wire), now)]
      })
      if (again) await resend(db, feed.endpoint_id, rows)
      await insertDeliveries(
        db,
        rows.map((row) => (again ? { ...row, again: 1, queue: againQueue(row) } : row)),
        now,
      )
      return page.next > feed.sequence
    })
  }

  /** Moves a feed on, or ends it. `false` where somebody else has just moved it. */
  async #move(db: Transaction<Tables>, feed: Feed, next: number, isAtEnd: boolean): Promise<boolean> {
    const { endpoint_id, chain_id, again, sequence } = feed
    const { numUpdatedRows } = await db
      .updateTable('webhook_feeds')
      .set({ sequence: next })
      .where('endpoint_id', '=', endpoint_id)
      .where('chain_id', '=', chain_id)
      .where('again', '=', again)
      .where('sequence', '=', sequence)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) return false
    const hasCaughtUp = again === 0 && next >= (await cursorOf(db, chain_id, feed.finality))
    if (!isAtEnd && !hasCaughtUp) return true
    await db
      .deleteFrom('webhook_feeds')
      .where('endpoint_id', '=', endpoint_id)
      .where('chain_id', '=', chain_id)
      .where('again', '=', again)
      .execute()
    // From now on it gets its events together with all others.
    if (again === 0) await changeEndpoints(db)
    return true
  }
}

async function cursorOf(db: Transaction<Tables>, chainId: number, finality: string): Promise<number> {
  const row = await db
    .selectFrom('webhook_cursors')
    .select('sequence')
    .where('chain_id', '=', chainId)
    .where('finality', '=', finality)
    .executeTakeFirst()
  return row?.sequence ?? 0
}

/** What was sent before is sent again. What still waits goes on waiting, in its order. */
async function resend(
  db: Transaction<Tables>,
  endpointId: string,
  rows: readonly { readonly chain_id: number; readonly sequence: number; readonly next_at: number }[],
): Promise<void> {
  for (const row of rows) {
    await db
      .updateTable('webhook_deliveries')
      .set({
        state: PENDING,
        again: 1,
        queue: againQueue(row),
        next_at: row.next_at,
        attempts: 0,
        first_attempt_at: null,
      })
      .where('endpoint_id', '=', endpointId)
      .where('chain_id', '=', row.chain_id)
      .where('sequence', '=', row.sequence)
      .where('state', '<>', sql.lit(PENDING))
      .execute()
  }
}

/** A queue of its own: it waits for nothing, and nothing waits for it. */
function againQueue({ chain_id, sequence }: { chain_id: number; sequence: number }): string {
  return `again ${chain_id} ${sequence}`
}

function filtersOf(row: Feed): EventFilters {
  const { subscription_id: subscription, provider, account } = row
  const types = readTypes(row.types)
  return {
    ...(types === null ? {} : { types: EVENT_TYPES.filter((type) => types.includes(type)) }),
    ...(subscription !== null && isHex(subscription) ? { subscriptionId: subscription } : {}),
    ...(provider === null ? {} : { provider: getAddress(provider) }),
    ...(account === null ? {} : { account: getAddress(account) }),
  }
}
