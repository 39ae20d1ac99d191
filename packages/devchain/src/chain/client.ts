import { createTestClient, http, publicActions, type Transport, walletActions } from 'viem'

/**
 * A client that reads, sends from anvil's unlocked accounts, and moves the clock.
 *
 * It has no viem chain on purpose: the chain id is an option, and anvil signs for unlocked accounts.
 * @param transport a socket, for whoever asks much
 */
export function createDevClient(url: string, transport: Transport = http(url, { retryCount: 0 })) {
  return createTestClient({
    mode: 'anvil',
    transport,
    pollingInterval: 50,
    // Otherwise viem answers block numbers of up to this age from its cache.
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

export type DevClient = ReturnType<typeof createDevClient>
