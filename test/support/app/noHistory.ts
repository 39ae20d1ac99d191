import type { HistoryPort } from '../../../src/core/ports/history.ts'
import { IndexUnavailableError } from '../../../src/errors/history.ts'

/** No chain keeps an index. */
export const noHistory: HistoryPort = {
  health: () => null,
  snapshot: async (chainId) => {
    throw IndexUnavailableError.off(chainId)
  },
}
