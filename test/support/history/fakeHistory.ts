import { IndexUnavailableError } from '@remit/engine/errors/history'
import type { BlockRef, HistoryPort, HistoryQueries, Indexed, Page } from '@remit/engine/ports/history'
import type { IndexPosition } from '@remit/engine/schema/envelope'

const NO_ROWS: Page<never> = { rows: [], hasMore: false, nextCursor: null }

/** A projection that knows nothing, but for what a test says. */
export function fakeQueries(known: Partial<HistoryQueries> = {}): HistoryQueries {
  return {
    search: async () => ({ ...NO_ROWS, isCut: false }),
    events: async () => NO_ROWS,
    activity: async () => ({ ...NO_ROWS, breakdown: { asSubscriber: 0, asProvider: 0 } }),
    detailsLogs: async () => NO_ROWS,
    latestDetails: async () => undefined,
    descriptions: async () => new Map(),
    companies: async () => new Map(),
    latestProfile: async () => undefined,
    providerChecks: async () => new Map(),
    subscribers: async () => [],
    subscriberCounts: async () => new Map(),
    memberships: async () => [],
    subscribedTo: async () => [],
    created: async () => [],
    due: async () => [],
    accountCounts: async () => ({ subscribedTo: 0, created: 0 }),
    tokens: async () => [],
    indexDay: 0,
    blockedCharges: async () => [],
    expectedCharges: async () => [],
    troubledMemberships: async () => ({ rows: [], nextCursor: null }),
    verdictAges: async () => ({ memberships: 0, unread: 0, oldest: null, newest: null }),
    members: async () => ({ rows: [], total: 0, nextCursor: null }),
    chargedMemberships: async () => [],
    chargedThrough: async () => ({ rows: [], total: 0 }),
    dueMembers: async () => [],
    payments: async () => NO_ROWS,
    payment: async () => undefined,
    loggedEvents: async ({ after }) => ({ events: [], next: after, hasMore: false }),
    logState: async () => ({ sequence: 0, blockNumber: 0, finalizedBlock: 0 }),
    member: async () => undefined,
    revenue: async () => ({ days: [], before: new Map(), terms: new Map(), tokenLogs: [] }),
    tokenLogs: async () => [],
    ...known,
  }
}

/** An index that stands at a block, and says that it is where the head is unless it is told otherwise. */
export function fakeHistory(
  block: BlockRef,
  options: {
    known?: Partial<HistoryQueries>
    failure?: string
    position?: Partial<IndexPosition>
    finalizedBlock?: number
  } = {},
): HistoryPort {
  const { known, failure = null, position, finalizedBlock = 0 } = options
  const at = {
    block,
    finalizedBlock,
    approvalsReadTo: null,
    providersChecked: 0,
    position: {
      blockNumber: block.number,
      timestamp: block.timestamp,
      lagSeconds: 0,
      synced: true,
      ...position,
    },
    failure,
  }
  return {
    health: () => null,
    indexedAt: async () => at,
    async snapshot<Rows>(
      _chainId: number,
      _options: object,
      query: (queries: HistoryQueries) => Promise<Rows>,
    ): Promise<Indexed<Rows>> {
      return { ...at, rows: await query(fakeQueries(known)) }
    },
  }
}

async function failing(chainId: number): Promise<never> {
  throw IndexUnavailableError.failed(chainId, new Error('no connection to postgres://secret@host'))
}

/** An index whose store has failed. */
export const brokenHistory: HistoryPort = {
  health: () => null,
  indexedAt: failing,
  snapshot: failing,
}
