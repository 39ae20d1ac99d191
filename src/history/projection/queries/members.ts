import { type Address, getAddress, type Hex } from 'viem'
import type { HistoryQueries, Membership } from '../../../core/ports/history.ts'
import { accountStatus } from '../../../protocol/subscription.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks } from '../inChunks.ts'
import { toHex } from '../toHex.ts'

type MemberQueries = Pick<
  HistoryQueries,
  'subscribers' | 'subscriberCounts' | 'memberships' | 'created' | 'tokens'
>

const ACTIVE = 0

/** The queries about members, and about what exists: subscriptions of a provider, tokens. */
export function memberQueries(db: Queries, chainId: number): MemberQueries {
  return {
    async subscribers(subscriptionId, { first, skip, after }): Promise<readonly Address[]> {
      let query = db
        .selectFrom('memberships')
        .select('subscriber')
        .where('chain_id', '=', chainId)
        .where('subscription_id', '=', subscriptionId.toLowerCase())
        .where('status', '=', ACTIVE)
      if (after !== undefined) query = query.where('subscriber', '>', after.toLowerCase())
      const rows = await query.orderBy('subscriber').limit(first).offset(skip).execute()
      return rows.map(({ subscriber }) => getAddress(subscriber))
    },

    async subscriberCounts(subscriptionIds): Promise<ReadonlyMap<Hex, number>> {
      const asked = subscriptionIds.map((id) => ({ id: id.toLowerCase() }))
      const found = new Map<string, number>()
      await inChunks(asked, async (chunk) => {
        const ids = chunk.map(({ id }) => id)
        const rows = await db
          .selectFrom('subscriber_counts')
          .select(['subscription_id', 'subscribers'])
          .where('chain_id', '=', chainId)
          .where('subscription_id', 'in', ids)
          .execute()
        for (const { subscription_id, subscribers } of rows) found.set(subscription_id, subscribers)
      })
      return new Map(subscriptionIds.map((id) => [id, found.get(id.toLowerCase()) ?? 0]))
    },

    async memberships(account, first): Promise<readonly Membership[]> {
      const rows = await db
        .selectFrom('memberships')
        .select(['subscription_id', 'status'])
        .where('chain_id', '=', chainId)
        .where('subscriber', '=', account.toLowerCase())
        .orderBy('first_block')
        .orderBy('first_log_index')
        .limit(first)
        .execute()
      return rows.map(({ subscription_id, status }) => ({
        subscriptionId: toHex(subscription_id),
        status: accountStatus(status),
      }))
    },

    async created(account, first): Promise<readonly Hex[]> {
      // The database's indexes keep cancelled ones apart, so both halves are read and merged.
      const halves = await Promise.all(
        [0, 1].map((cancelled) =>
          db
            .selectFrom('subscriptions')
            .select(['id', 'created_block', 'created_log_index'])
            .where('chain_id', '=', chainId)
            .where('provider', '=', account.toLowerCase())
            .where('cancelled', '=', cancelled)
            .orderBy('created_block')
            .orderBy('created_log_index')
            .limit(first)
            .execute(),
        ),
      )
      return halves
        .flat()
        .sort((a, b) => a.created_block - b.created_block || a.created_log_index - b.created_log_index)
        .slice(0, first)
        .map(({ id }) => toHex(id))
    },

    async tokens(): Promise<readonly Address[]> {
      const rows = await db
        .selectFrom('token_counts')
        .select('token')
        .where('chain_id', '=', chainId)
        .execute()
      return rows
        .map(({ token }) => token)
        .sort()
        .map((token) => getAddress(token))
    },
  }
}
