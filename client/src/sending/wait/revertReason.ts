import type { Hash } from 'viem'
import type { RevertReason } from '../../errors/prepare.ts'
import type { Api } from '../../generated/api.ts'
import { sleep } from '../../request/sleep.ts'

/** The service's node can be a moment behind the wallet's. */
const TRIES = 4
const PAUSE_MS = 500
/** The failure itself is known: why it came is not worth a long wait. */
const WITHIN_MS = 5_000

/** Why a mined transaction reverted, as the service decodes it; `null` where it cannot tell, or is away. */
export async function revertReason(api: Api, chainId: number, txHash: Hash): Promise<RevertReason | null> {
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const { status, reason } = await api.getTransactionStatus({ txHash, chainId }, { withinMs: WITHIN_MS })
      if (status === 'reverted' && reason !== null) {
        const { protocolCode, name, message, data } = reason
        return { protocolCode, name, message, data }
      }
      await sleep(PAUSE_MS)
    }
  } catch {
    // What failed on the chain is told without it.
  }
  return null
}
