import { createWalletClient, custom, type EIP1193Provider } from 'viem'

/** Calls `tell` for each wallet that this browser has, by EIP-6963. */
export function findWallets(tell: (name: string, provider: EIP1193Provider) => void): void {
  const seen = new Set<string>()
  window.addEventListener('eip6963:announceProvider', (event) => {
    if (!(event instanceof CustomEvent)) return
    // Any script may announce: what does not have the shape of a wallet is passed over.
    const { info, provider } = Object(event.detail)
    if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || seen.has(info.uuid)) return
    if (typeof provider?.request !== 'function') return
    seen.add(info.uuid)
    tell(info.name, provider)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Asks the wallet for its account, which asks its user. */
export async function connect(provider: EIP1193Provider) {
  const [account] = await provider.request({ method: 'eth_requestAccounts' })
  if (account === undefined) throw new Error('The wallet has given no account.')
  return createWalletClient({ account, transport: custom(provider), pollingInterval: 1_000 })
}
