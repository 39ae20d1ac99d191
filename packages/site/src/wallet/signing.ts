import { createClient } from '@remit/client'
import { createWalletClient, custom, type EIP1193Provider } from 'viem'
import { apiUrl } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import type { ConnectedWallet } from './wallet.ts'

/** What signs: the client with its checks, and the wallet as the client takes it. */
export function openSigning({ wallet: { provider }, address }: ConnectedWallet) {
  return { client: signingClient(), wallet: walletClientOf(provider, address) }
}

/**
 * The client of the page's chain. On a chain that the client does not know by itself, its contract is the one that
 * came with this page: who can change that can change this script as well.
 */
function signingClient() {
  const { chain } = pageData
  if (chain === null) throw new Error('The page has no chain.')
  return createClient({ url: apiUrl, chainId: chain.chainId, trustServiceForContracts: true })
}

/** Blocks of a few seconds are looked for once a second. */
function walletClientOf(provider: EIP1193Provider, address: ConnectedWallet['address']) {
  return createWalletClient({ account: address, transport: custom(provider), pollingInterval: 1_000 })
}
