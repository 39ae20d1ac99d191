import type { HistoryQueries, Membership } from '@remit/engine/ports/history'
import { ACCOUNT_STATUS_NUMBERS, accountStatus, parseFrequency } from '@remit/protocol/subscription'
import { type Address, getAddress, type Hex } from 'viem'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks, toHex } from '../columns.ts'

type MemberQueries = Pick<
  HistoryQueries,
  | 'subscribers'
  | 'subscriberCounts'
  | 'memberships'
  | 'subscribedTo'
  | 'created'
  | 'accountCounts'
  | 'due'
  | 'dueMembers'
  | 'tokens'
>

/** The part of `HistoryQueries` (there: what each answers) about members, and about what exists: subscriptions of a provider, tokens. */
export function memberQueries(db: Queries, chainId: number): MemberQueries {
  /** The live subscriptions that have members, with how many. */
  const subscribed = () =>
    db
      .selectFrom('subscriptions as s')
      .where('s.chain_id', '=', chainId)
      .where('s.cancelled', '=', 0)
      .where('s.subscribers', '>', 0)
  return {
    async subscribers(subscriptionId, { first, skip, after }): Promise<readonly Address[]> {
      let query = db
        .selectFrom('memberships')
        .select('subscriber')
        .where('chain_id', '=', chainId)
        .where('subscription_id', '=', subscriptionId.toLowerCase())
        .where('status', '=', ACCOUNT_STATUS_NUMBERS.ACTIVE)
      if (after !== undefined) query = query.where('subscriber', '>', after.toLowerCase())
      const rows = await query.orderBy('subscriber').limit(first).offset(skip).execute()
      return rows.map(({ subscriber }) => getAddress(subscriber))
    },

    async subscriberCounts(subscriptionIds): Promise<ReadonlyMap<Hex, number>> {
      const asked = subscriptionIds.map((id) => id.toLowerCase())
      const found = new Map<string, number>()
      await inChunks(asked, async (ids) => {
        const rows = await db
          .selectFrom('subscriptions')
          .select(['id', 'subscribers'])
          .where('chain_id', '=', chainId)
          .where('id', 'in', ids)
          .execute()
        for (const { id, subscribers } of rows) found.set(id, subscribers)
      })
      return new Map(subscriptionIds.map((id) => [id, found.get(id.toLowerCase()) ?? 0]))
    },

    async memberships(account, { first, skip, activeOnly = false }): Promise<readonly Membership[]> {
      let query = db
        .selectFrom('memberships')
        .select(['subscription_id', 'status'])
        .where('chain_id', '=', chainId)
        .where('subscriber', '=', account.toLowerCase())
      if (activeOnly) query = query.where('status', '=', ACCOUNT_STATUS_NUMBERS.ACTIVE)
      const inOrder = query.orderBy('first_block').orderBy('first_log_index')
      const rows = await inOrder.limit(first).offset(skip).execute()
      return rows.map(({ subscription_id, status }) => ({
        subscriptionId: toHex(subscription_id),
        status: accountStatus(status),
      }))
    },

    async subscribedTo(providers, accounts) {
      if (accounts.length === 0) return []
      const rows = await db
        .selectFrom('memberships')
        .innerJoin('subscriptions', (join) =>
          join
            .onRef('subscriptions.chain_id', '=', 'memberships.chain_id')
            .onRef('subscriptions.id', '=', 'memberships.subscription_id'),
        )
        .select(['memberships.subscriber', 'subscriptions.id'])
        .select(['subscriptions.provider', 'subscriptions.token'])
        .where('memberships.chain_id', '=', chainId)
        .where('memberships.subscriber', 'in', accounts.map(lower))
        .where('memberships.status', '=', ACCOUNT_STATUS_NUMBERS.ACTIVE)
        .where('subscriptions.provider', 'in', providers.map(lower))
        .where('subscriptions.cancelled', '=', 0)
        .orderBy('memberships.first_block')
        .orderBy('memberships.first_log_index')
        .execute()
      return rows.map(({ subscriber, id, provider, token }) => ({
        account: getAddress(subscriber),
        provider: getAddress(provider),
        subscriptionId: toHex(id),
        token: getAddress(token),
      }))
    },

    async created(account, { first, skip }): Promise<readonly Hex[]> {
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
            .limit(skip + first)
            .execute(),
        ),
      )
      return halves
        .flat()
        .sort((a, b) => a.created_block - b.created_block || a.created_log_index - b.created_log_index)
        .slice(skip, skip + first)
        .map(({ id }) => toHex(id))
    },

    async accountCounts(account) {
      const [subscribedTo, created] = await Promise.all([
        db
          .selectFrom('memberships')
          .select(({ fn }) => fn.countAll().as('rows'))
          .where('chain_id', '=', chainId)
          .where('subscriber', '=', account.toLowerCase())
          .executeTakeFirstOrThrow(),
        db
          .selectFrom('subscriptions')
          .select(({ fn }) => fn.countAll().as('rows'))
          .where('chain_id', '=', chainId)
          .where('provider', '=', account.toLowerCase())
          // Excludes nothing, but the index that fits has this column in it.
          .where('cancelled', 'in', [0, 1])
          .executeTakeFirstOrThrow(),
      ])
      // Postgres tells counts as text.
      return { subscribedTo: Number(subscribedTo.rows), created: Number(created.rows) }
    },

    async due(lists, first) {
      if (lists.length === 0) return []
      const rows = await subscribed()
        .select(['s.id', 's.token', 's.frequency', 's.due_day'])
        .where((eb) =>
          eb.or(
            lists.map(({ frequency, dueDay }) =>
              eb.and([eb('s.frequency', '=', frequency), eb('s.due_day', '=', dueDay)]),
            ),
          ),
        )
        .orderBy('s.created_block')
        .orderBy('s.created_log_index')
        .limit(first)
        .execute()
      return rows.flatMap(({ id, token, frequency, due_day: dueDay }) => {
        const list = lists.find((one) => one.frequency === frequency && one.dueDay === dueDay)
        return list === undefined ? [] : [{ ...list, id: toHex(id), token: getAddress(token) }]
      })
    },

    async dueMembers() {
      const rows = await subscribed()
        .select(['s.frequency', 's.due_day'])
        .select(({ fn }) => fn.sum('s.subscribers').as('members'))
        .groupBy(['s.frequency', 's.due_day'])
        .execute()
      return rows.map(({ frequency, due_day: dueDay, members }) => ({
        frequency: parseFrequency(frequency),
        dueDay,
        // Postgres tells sums as text.
        members: Number(members),
      }))
    },

    async tokens(): Promise<readonly Address[]> {
      const rows = await db
        .selectFrom('token_counts')
        .select('token')
        .where('chain_id', '=', chainId)
        .execute()
      const tokens = rows.map(({ token }) => token)
      return tokens.sort().map((token) => getAddress(token))
    },
  }
}

function lower(address: Address): string {
  return address.toLowerCase()
}
