import { IndexUnavailableError } from '@remit/engine/errors/history'
import type { EventLog } from '@remit/engine/ports/events'

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
