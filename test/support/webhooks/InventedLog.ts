import { createHash } from 'node:crypto'
import { EVENT_TYPES } from '@remit/engine/ports/events'
import type { EventLogTable } from '@remit/service/testing/store/indexTables'
import type { Store } from '@remit/service/testing/store/openStore'
import type { Hex } from 'viem'

export const CHAIN = 31_337

const CANCELLED = EVENT_TYPES.indexOf('subscription.cancelled')
const RETRACTED = EVENT_TYPES.indexOf('retracted')

/** What the log says, as a receiver that heard all of it would know it. */
export interface Told {
  readonly id: string
  readonly sequence: number
  readonly subscription: string
}

/** A log of events about no chain: it is written into the store, as the index writes it. */
export class InventedLog {
  readonly #store: Store
  readonly events: Told[] = []
  #block = 100
  #sequence = 0

  constructor(store: Store) {
    this.#store = store
  }

  async begin(): Promise<void> {
    await this.#store.transaction((db) =>
      db
        .insertInto('index_chains')
        .values({
          chain_id: CHAIN,
          layout: 3,
          genesis_hash: hashOf('genesis'),
          contract: `0x${'c0'.repeat(20)}`,
          first_block: 1,
          source: 'rpc',
          epoch: 1,
          holder: null,
          lease_until: 0,
          block_number: this.#block,
          block_hash: hashOf('block'),
          block_parent_hash: hashOf('parent'),
          block_timestamp: 1_800_000_000,
          finalized_block: 0,
          log_sequence: 0,
          alarm: null,
        })
        .execute(),
    )
  }

  /** Adds an event of each of these subscriptions, in one block. */
  async append(subscriptions: readonly string[]): Promise<void> {
    this.#block += 1
    const rows = subscriptions.map((subscription, place) =>
      this.#row(subscription, CANCELLED, `${subscription} ${this.#block} ${place}`, '{}'),
    )
    await this.#write(rows)
  }

  /** Takes the last events of a subscription back, as a reorganisation does. They may come again with the same ids. */
  async retract(subscription: string, count: number): Promise<void> {
    this.#block += 1
    const ids = this.events
      .filter((event) => event.subscription === subscription)
      .slice(-count)
      .map(({ id }) => id)
    if (ids.length === 0) return
    const facts = JSON.stringify({ ids, types: ['subscription.cancelled'], reached: 'seen' })
    await this.#write([this.#row(subscription, RETRACTED, `${ids.join()} ${this.#block}`, facts)])
  }

  #row(subscription: string, type: number, what: string, facts: string): EventLogTable {
    this.#sequence += 1
    const id = `evt_${createHash('sha256').update(what).digest('hex').slice(0, 40)}`
    this.events.push({ id, sequence: this.#sequence, subscription })
    return {
      chain_id: CHAIN,
      sequence: this.#sequence,
      id,
      type,
      block_number: this.#block,
      block_hash: hashOf(`block ${this.#block}`),
      timestamp: 1_800_000_000 + this.#block,
      log_index: null,
      transaction_hash: null,
      subscription_id: subscription,
      provider: `0x${'b0'.repeat(20)}`,
      account: null,
      token: null,
      facts,
      retracted_by: null,
    }
  }

  async #write(rows: readonly EventLogTable[]): Promise<void> {
    await this.#store.transaction(async (db) => {
      await db.insertInto('event_log').values(rows).execute()
      await db
        .updateTable('index_chains')
        .set({ log_sequence: this.#sequence, block_number: this.#block })
        .where('chain_id', '=', CHAIN)
        .execute()
    })
  }
}

/** The id of the nth invented subscription. */
export function subscriptionId(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`
}

function hashOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
