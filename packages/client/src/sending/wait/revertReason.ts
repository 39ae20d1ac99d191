import type { Hash } from 'viem'
import type { RevertReason } from '../../errors/prepare.ts'
import type { Api } from '../../generated/api.ts'

/** The transaction is known to have failed, and the reason only explains it, so a short wait suffices. */
const WITHIN_MS = 5_000

/**
 * Why a mined transaction reverted, as the wallet's node tells it. `null` where it cannot tell or does not answer.
 *
 * It is asked once, for the transaction's own block or a later one: where the node has not seen the block yet, the call
 * waits for it by itself.
 */
export async function revertReason(
  api: Api,
  {
    chainId,
    hash,
    blockNumber,
  }: { readonly chainId: number; readonly hash: Hash; readonly blockNumber: number },
): Promise<RevertReason | null> {
  try {
    const input = { txHash: hash, chainId, minBlock: blockNumber }
    const { status, reason } = await api.getTransactionStatus(input, { withinMs: WITHIN_MS, retries: 2 })
    if (status !== 'reverted' || reason === null) return null
    const { protocolCode, name, message, data } = reason
    return { protocolCode, name, message, data }
  } catch {
    return null
  }
}
