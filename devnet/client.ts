import { createTestClient, http, publicActions, walletActions } from 'viem'

/**
 * A client that reads, sends from anvil's unlocked accounts, and moves the clock.
 *
 * It has no viem chain on purpose: the chain id is an option, and anvil signs for unlocked accounts.
 */
export function createDevClient(url: string) {
  return createTestClient({
    mode: 'anvil',
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 50,
    // Otherwise viem answers block numbers of up to this age from its cache.
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

export type DevClient = ReturnType<typeof createDevClient>
