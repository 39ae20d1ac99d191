import type { EventLog } from '../../../src/core/ports/events.ts'
import { IndexUnavailableError } from '../../../src/errors/history.ts'

/** Chains without an index, and so without a log of events. */
export const noEvents: EventLog = {
  read: async (chainId) => {
    throw IndexUnavailableError.off(chainId)
  },
  end: async (chainId) => {
    throw IndexUnavailableError.off(chainId)
  },
  state: async () => undefined,
  waitFor: async () => false,
}
