import type { Store } from '@remit/service/testing/store/openStore'
import { sql } from 'kysely'

/**
 * All that a store knows of a chain, in a stable order and alike in both databases: two projections are equal
 * where these are. Left out are the chain's id, so that chains of one store can be compared, who holds the
 * lease, which blocks are remembered or final, and where members stood in lists before, which depend on the way there.
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
      approvals: await rows('approvals', PLACE),
      detailsLogs: await rows('details_logs', PLACE),
      profileLogs: await rows('profile_logs', PLACE),
      subscriptions: await rows('subscriptions', ['id']),
      // Their numbers depend on the way there, and one of their words is the chain's.
      searchTexts: await db
        .selectFrom('search_texts')
        .select(['subject', sql<string>`replace(words, ${`=${chainId}`}, '=')`.as('words')])
        .where('chain_id', '=', chainId)
        .orderBy('subject')
        .execute(),
      memberships: await rows('memberships', ['subscription_id', 'subscriber']),
      accountCounts: await rows('account_counts', ['account']),
      tokenCounts: await rows('token_counts', ['token']),
      // The step in which a verdict became due depends on the way there.
      verdicts: await db
        .selectFrom('verdicts')
        .select(['subscriber', 'subscription_id', 'provider', 'token', 'frequency', 'due_day'])
        .select(['block_number as read_at', 'first_day', 'charges', 'trouble', 'trouble_day'])
        .where('chain_id', '=', chainId)
        .orderBy('subscriber')
        .orderBy('subscription_id')
        .execute(),
      verdictCounts: await rows('verdict_counts', ['subscription_id', 'day_number', 'kind']),
      payments: await rows('payments', PLACE),
      paymentDays: await rows('payment_days', ['subscription_id', 'day', 'token']),
      checkedDays: await rows('checked_days', PLACE),
      unstatedTokens: await rows('unstated_tokens', ['token']),
      // Who is looked up. What was found is of resolvers and of the wall's clock, and of no block.
      checkedProviders: await db
        .selectFrom('provider_checks')
        .select('provider')
        .where('chain_id', '=', chainId)
        .orderBy('provider')
        .execute(),
      // What stands. The way there decides what was told and taken back, and what the sweep told. Ids are made of the
      // chain's id and of these columns.
      told: await db
        .selectFrom('event_log')
        .select(['type', 'block_number', 'block_hash', 'timestamp', 'log_index', 'transaction_hash'])
        .select(['subscription_id', 'provider', 'account', 'token', 'facts'])
        .where('chain_id', '=', chainId)
        .where('retracted_by', 'is', null)
        .where('log_index', 'is not', null)
        .orderBy('block_number')
        .orderBy('log_index')
        .orderBy('type')
        .execute(),
    }
  })
}

type LogTable = 'events' | 'approvals' | 'details_logs' | 'profile_logs' | 'payments' | 'checked_days'
type DerivedTable =
  | 'subscriptions'
  | 'memberships'
  | 'account_counts'
  | 'token_counts'
  | 'verdict_counts'
  | 'payment_days'
  | 'unstated_tokens'

const PLACE = ['block_number', 'log_index']
