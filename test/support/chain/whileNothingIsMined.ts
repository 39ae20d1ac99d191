import type { DevClient } from '@remit/devchain/testing/chain/client'

/**
 * Runs `act` while transactions wait, but for blocks that it mines itself. What still waits then is mined here: otherwise
 * anvil would do it as soon as it mines by itself again, perhaps in the middle of the revert that ends a test.
 */
export async function whileNothingIsMined(client: DevClient, act: () => Promise<void>): Promise<void> {
  await client.setAutomine(false)
  try {
    await act()
  } finally {
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
  }
}
