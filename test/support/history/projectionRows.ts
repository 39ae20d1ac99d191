import type { Store } from '../../../src/store/openStore.ts'

/**
 * All that a store knows of a chain, in a stable order and alike in both databases: two projections are equal
 * where these are. Left out are the chain's id, so that chains of one store can be compared, who holds the
 * lease, and which blocks are remembered or final, which depend on the way there.
 */
export async function projectionRows(store: Store, chainId: number) {
  return store.snapshot(async (db) => {
    const chain = await db
      .selectFrom('index_chains')
      .select(['genesis_hash', 'contract', 'first_block'])
      .select(['block_number', 'block_hash', 'block_parent_hash', 'block_timestamp'])
      .where('chain_id', '=', chainId)
      .execute()
    const rows = async (table: LogTable | DerivedTable, order: readonly string[]) => {
      let query = db.selectFrom(table).selectAll().where('chain_id', '=', chainId)
      for (const column of order) query = query.orderBy(db.dynamic.ref(column))
      const found = await query.execute()
      return found.map(({ chain_id: _, ...row }) => row)
    }
    return {
      chain,
      events: await rows('events', PLACE),
      detailsLogs: await rows('details_logs', PLACE),
      profileLogs: await rows('profile_logs', PLACE),
      subscriptions: await rows('subscriptions', ['id']),
      memberships: await rows('memberships', ['subscription_id', 'subscriber']),
      accountCounts: await rows('account_counts', ['account']),
      subscriberCounts: await rows('subscriber_counts', ['subscription_id']),
      tokenCounts: await rows('token_counts', ['token']),
    }
  })
}

type LogTable = 'events' | 'details_logs' | 'profile_logs'
type DerivedTable = 'subscriptions' | 'memberships' | 'account_counts' | 'subscriber_counts' | 'token_counts'

const PLACE = ['block_number', 'log_index']
