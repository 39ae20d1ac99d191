import type { BlockRef, HistoryPort, HistoryQueries, Indexed, Page } from '../../../src/core/ports/history.ts'
import { IndexUnavailableError } from '../../../src/errors/history.ts'
import type { IndexPosition } from '../../../src/schema/answer.ts'

const NO_ROWS: Page<never> = { rows: [], hasMore: false, nextCursor: null }

/** A projection that knows nothing, but for what a test says. */
export function fakeQueries(known: Partial<HistoryQueries> = {}): HistoryQueries {
  return {
    search: async () => NO_ROWS,
    events: async () => NO_ROWS,
    activity: async () => ({ ...NO_ROWS, breakdown: { asSubscriber: 0, asProvider: 0 } }),
    detailsLogs: async () => NO_ROWS,
    latestDetails: async () => undefined,
    latestProfile: async () => undefined,
    subscribers: async () => [],
    subscriberCounts: async () => new Map(),
    memberships: async () => [],
    created: async () => [],
    tokens: async () => [],
    ...known,
  }
}

/** An index that stands at a block, and says that it is where the head is unless it is told otherwise. */
export function fakeHistory(
  block: BlockRef,
  options: { known?: Partial<HistoryQueries>; failure?: string; position?: Partial<IndexPosition> } = {},
): HistoryPort {
  const { known, failure = null, position } = options
  return {
    health: () => null,
    async snapshot<Rows>(
      _chainId: number,
      _options: object,
      query: (queries: HistoryQueries) => Promise<Rows>,
    ): Promise<Indexed<Rows>> {
      return {
        rows: await query(fakeQueries(known)),
        block,
        position: {
          blockNumber: block.number,
          timestamp: block.timestamp,
          lagSeconds: 0,
          synced: true,
          ...position,
        },
        failure,
      }
    },
  }
}

/** An index whose store has failed. */
export const brokenHistory: HistoryPort = {
  health: () => null,
  snapshot: async (chainId) => {
    throw IndexUnavailableError.failed(chainId, new Error('no connection to postgres://secret@host'))
  },
}
