import { IndexUnavailableError } from '@remit/engine/errors/history'
import type { HistoryPort } from '@remit/engine/ports/history'

async function off(chainId: number): Promise<never> {
  throw IndexUnavailableError.off(chainId)
}

/** No chain keeps an index. */
export const noHistory: HistoryPort = {
  health: () => null,
  indexedAt: off,
  snapshot: off,
}
