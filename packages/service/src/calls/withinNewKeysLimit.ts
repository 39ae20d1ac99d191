import type { NewKeysPort } from '../ports/access.ts'

/**
 * Makes something that counts as one of the day's new keys of an address. A failure does not count.
 *
 * Throws RateLimitedError where the day has none left.
 */
export async function withinNewKeysLimit<Made>(
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
