import { setTimeout as sleep } from 'node:timers/promises'
import type { DevClient } from '@remit/devchain/testing/chain/client'
import type { Hex, TransactionReceipt } from 'viem'
import { TransactionReceiptNotFoundError } from 'viem'

/**
 * The receipt of a transaction that was just sent; anvil answers before it has mined.
 *
 * viem's own wait looks only once in each block, and on a chain that mines nothing else one look too early
 * is one too few.
 */
export async function minedReceipt(client: DevClient, hash: Hex): Promise<TransactionReceipt> {
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    }
    await sleep(5)
  }
  throw new Error(`The transaction ${hash} is not mined`)
}
