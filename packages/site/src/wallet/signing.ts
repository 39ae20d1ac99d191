import type { Client } from '@remit/client'
import { clientWith } from '@remit/client/createClient'
import { createClient as createViemClient, custom, type EIP1193Provider, isAddress } from 'viem'
import { apiUrl, fetchInSession, ownWrites } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import { seenSigned } from '../permit/seenSigned.ts'
import type { ConnectedWallet } from './wallet.ts'

/**
 * One client for each wallet, because it remembers what it has had signed, and warns of it. It is told
 * what this browser has kept of permissions that were signed on earlier visits.
 */
const clients = new WeakMap<EIP1193Provider, Client>()

/** What signs for a wallet: the client with its checks, and the wallet as viem has it. `openSigning.ts` loads this file late. */
export function openSigning({ wallet: { provider }, address }: ConnectedWallet) {
  const client = clients.get(provider) ?? signingClient(provider)
  clients.set(provider, client)
  return { client, wallet: walletClientOf(provider, address) }
}

/**
 * The client of the page's chain, which prepares at the wallet's own node. The contract is the one that came with this
 * page: who can change that can change this script as well.
 */
function signingClient(node: EIP1193Provider) {
  const { chain } = pageData
  if (chain === null) throw new Error('The page has no chain.')
  const { chainId, contract } = chain
  const contracts = contract !== null && isAddress(contract) ? { [chainId]: contract } : {}
  return clientWith(ownWrites, {
    url: apiUrl,
    node,
    chainId,
    contracts,
    outstandingPermits: async ({ owner, token }) =>
      seenSigned(owner, { address: token }).map(({ raw, ...permit }) => ({ value: raw, ...permit })),
    fetch: fetchInSession,
  })
}

/** Without viem's wallet actions: the client brings those that it needs. Blocks come every few seconds, so one look a second is enough. */
function walletClientOf(provider: EIP1193Provider, address: ConnectedWallet['address']) {
  return createViemClient({ account: address, transport: custom(provider), pollingInterval: 1_000 })
}
