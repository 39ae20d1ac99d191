import { createTestClient, http, publicActions, walletActions } from 'viem'

/**
 * A client that reads, sends from anvil's own unlocked accounts, and turns the clock.
 *
 * It has no viem chain on purpose: the id of a dev chain is an option, and unlocked accounts sign nothing here.
 */
export function createDevClient(url: string) {
  return createTestClient({
    mode: 'anvil',
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 50,
    // viem would otherwise answer block numbers up to this old from its own memory.
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

export type DevClient = ReturnType<typeof createDevClient>
