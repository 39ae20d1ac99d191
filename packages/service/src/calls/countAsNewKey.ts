import type { NewKeysPort } from '../ports/access.ts'

/**
 * Makes a key or a webhook, and counts it among those that were made today from a network address. Not by wallet, since anybody
 * can have many wallets. A failure does not count. How many there may be is LIMIT_NEW_KEYS_DAILY.
 *
 * Throws RateLimitedError where the day has none left.
 */
export async function countAsNewKey<Made>(
  newKeys: NewKeysPort,
  address: string,
  make: () => Promise<Made>,
): Promise<Made> {
  const taken = await newKeys.takeNewKey(address)
  try {
    return await make()
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}
