import type {
  ActivityRole,
  HistoryQueries,
  IndexedSubscription,
  SubscriptionTexts,
} from '@remit/engine/ports/history'
import type { Selectable } from 'kysely'
import { type Address, getAddress, type Hex } from 'viem'
import type { ApprovalsTable, EventsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { inChunks, toHex } from '../columns.ts'
import { readLog, readLogState } from '../eventLog/readLog.ts'
import { paymentQueries } from '../payments/paymentQueries.ts'
import { readRevenue } from '../payments/readRevenue.ts'
import { readProviderChecks } from '../providers.ts'
import { searchPage } from '../search/searchPage.ts'
import { readTokenLogs } from '../verdicts/tokenChecks.ts'
import { approvalEvent, detailsRow, historyEvent, indexedSubscription, profileRow } from './answerRows.ts'
import { Cursors } from './Cursors.ts'
import { listMembers } from './listMembers.ts'
import { approvalScan, detailsScan, eventScan, newestDetails, newestProfiles } from './logScans.ts'
import { memberQueries } from './members.ts'
import { type List, readPage } from './readPage.ts'
import { verdictQueries } from './verdicts.ts'

/**
 * What operations ask of a chain's index (`HistoryQueries`, which says what each answers), as `db` sees it. The queries for lists of
 * logs and texts are here, the others in files of their own. The database has an index for each of them. A "scan" reads one such index
 * in order, and `readPage` merges several to a page.
 * @param indexState as read in the same transaction
 * @param now unix milliseconds of the wall clock
 */
export function createQueries(
  db: Queries,
  chainId: number,
  indexState: IndexState,
  now: () => number = Date.now,
): HistoryQueries {
  const { block, finalizedBlock } = indexState
  const cursors = new Cursors(db, chainId, indexState)
  const logStateOf = async () => {
    const state = await readLogState(db, chainId)
    if (state === undefined) throw new Error('an index that is read has a log')
    return state
  }
  const members = memberQueries(db, chainId)
  /** Reads the texts that go with these subscriptions. @returns a function that picks those of one */
  const textsOf = async (rows: readonly IndexedSubscription[]) => {
    const ids = rows.map(({ id }) => id)
    const providers = [...new Set(rows.map(({ provider }) => provider))]
    const [details, profiles, subscribers] = await Promise.all([
      newestDetails(db, chainId, ids),
      newestProfiles(db, chainId, providers),
      members.subscriberCounts(ids),
    ])
    const detailsOf = new Map(details.map((row) => [row.subscription_id, textOf(row)]))
    const companyOf = new Map(profiles.map(({ provider, company }) => [provider, company]))
    return ({ id, provider }: IndexedSubscription): SubscriptionTexts => ({
      details: detailsOf.get(id) ?? null,
      company: companyOf.get(provider.toLowerCase()) ?? null,
      subscribers: subscribers.get(id) ?? 0,
    })
  }
  return {
    async search(query, page, withTexts) {
      const { untilBlock } = page
      // The list was begun at an older block: what was cancelled since still counts as not cancelled.
      const since = untilBlock !== undefined && untilBlock < block.number ? untilBlock : undefined
      const found = await searchPage({ db, chainId, cursors, query, page, since })
      const rows = found.rows.map(indexedSubscription)
      if (!withTexts) return { ...found, rows }
      const texts = await textsOf(rows)
      return { ...found, rows: rows.map((row) => ({ ...row, texts: texts(row) })) }
    },

    async events(subscriptionId, page) {
      const id = subscriptionId.toLowerCase()
      const scans = [eventScan(db, chainId, 'subscription_id', id)] as const
      const found = await readPage(cursors, { name: `history ${id}`, tables: ['events'], scans }, page)
      return { ...found, rows: found.rows.map((row) => historyEvent(row, finalizedBlock)) }
    },

    async activity(account, page) {
      const key = account.toLowerCase()
      const scans = [
        eventScan(db, chainId, 'subscriber', key),
        eventScan(db, chainId, 'provider', key),
        approvalScan(db, chainId, key),
      ] as const
      const tables = ['events', 'approvals'] as const
      const list: List<Selectable<EventsTable> | Selectable<ApprovalsTable>> = {
        name: `activity ${key}`,
        tables,
        scans,
      }
      const found = await readPage(cursors, list, page)
      const counts = await db
        .selectFrom('account_counts')
        .select(['as_subscriber', 'as_provider'])
        .where('chain_id', '=', chainId)
        .where('account', '=', key)
        .executeTakeFirst()
      return {
        ...found,
        rows: found.rows.map((row) =>
          'owner' in row
            ? { ...approvalEvent(row, finalizedBlock), roles: ['subscriber'] as const }
            : { ...historyEvent(row, finalizedBlock), roles: rolesOf(row, key) },
        ),
        breakdown: {
          asSubscriber: counts?.as_subscriber ?? 0,
          asProvider: counts?.as_provider ?? 0,
        },
      }
    },

    async detailsLogs(subscriptionId, page) {
      const id = subscriptionId.toLowerCase()
      const scans = [detailsScan(db, chainId, id)] as const
      const found = await readPage(cursors, { name: `details ${id}`, tables: ['details_logs'], scans }, page)
      return { ...found, rows: found.rows.map((row) => detailsRow(row, finalizedBlock)) }
    },

    async latestDetails(subscriptionId) {
      const [row] = await newestDetails(db, chainId, [subscriptionId])
      return row && detailsRow(row, finalizedBlock)
    },

    async descriptions(subscriptionIds) {
      const found = new Map<Hex, string>()
      await inChunks([...new Set(subscriptionIds)], async (ids) => {
        for (const row of await newestDetails(db, chainId, ids)) {
          if (row.description !== '') found.set(toHex(row.subscription_id), row.description)
        }
      })
      return found
    },

    async companies(providers) {
      const found = new Map<Address, string>()
      await inChunks([...new Set(providers)], async (some) => {
        for (const { provider, company } of await newestProfiles(db, chainId, some)) {
          if (company !== '') found.set(getAddress(provider), company)
        }
      })
      return found
    },

    async latestProfile(provider) {
      const [row] = await newestProfiles(db, chainId, [provider])
      return row && profileRow(row, finalizedBlock)
    },

    providerChecks: (providers) => readProviderChecks(db, chainId, providers, now()),
    loggedEvents: async (query) => readLog(db, chainId, await logStateOf(), query),
    logState: logStateOf,
    ...members,
    ...verdictQueries(db, chainId, block.timestamp),
    members: (query) => listMembers(db, chainId, query),
    ...paymentQueries(db, chainId, indexState),
    tokenLogs: (tokens) => readTokenLogs(db, chainId, tokens),
    revenue: (of, range) => readRevenue(db, chainId, of, range),
  }
}

function rolesOf(row: { provider: string; subscriber: string | null }, account: string): ActivityRole[] {
  const roles: ActivityRole[] = []
  if (row.subscriber === account) roles.push('subscriber')
  if (row.provider === account) roles.push('provider')
  return roles
}

function textOf({ url, description }: { url: string; description: string }) {
  return { url, description }
}
