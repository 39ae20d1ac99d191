import type { HistoryPort } from '../../../src/core/ports/history.ts'
import { IndexUnavailableError } from '../../../src/errors/history.ts'

async function off(chainId: number): Promise<never> {
  throw IndexUnavailableError.off(chainId)
}

/** No chain keeps an index. */
export const noHistory: HistoryPort = {
  health: () => null,
  stand: off,
  snapshot: off,
}
