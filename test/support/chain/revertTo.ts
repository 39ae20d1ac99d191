import type { DevClient } from '@remit/devchain/testing/chain/client'
import type { Hex } from 'viem'

const PATIENCE_MS = 10_000

/**
 * Reverts an anvil to a snapshot, once it is done with the blocks that it mines by itself.
 *
 * It answers a transaction before it takes it out of its pool, which it does by hash and by nonce. If a revert came
 * between, it would take out the same transaction that the next test sends, and that test would wait for ever.
 */
export async function revertTo(client: DevClient, id: Hex): Promise<void> {
  // What waits without automine was left there by a test, and stays.
  const isMining = async () => (await client.getTxpoolStatus()).pending > 0 && (await client.getAutomine())
  const giveUpAt = Date.now() + PATIENCE_MS
  while (await isMining()) {
    if (Date.now() > giveUpAt)
      throw new Error('Transactions stay in the pool, though the node mines by itself')
    await new Promise(setImmediate)
  }
  await client.revert({ id })
}
