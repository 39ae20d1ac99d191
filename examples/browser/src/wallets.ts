import { type Address, createWalletClient, custom, type EIP1193Provider, getAddress } from 'viem'
import { base, baseSepolia } from 'viem/chains'

/** A wallet that the browser has, by EIP-6963 or as `window.ethereum`. */
export interface FoundWallet {
  readonly key: string
  readonly name: string
  /** A data: URL, or nothing: the page loads no picture from anywhere. */
  readonly icon: string | undefined
  readonly provider: EIP1193Provider
}

/** A wallet whose user lets this page see an address. */
export interface ConnectedWallet {
  readonly name: string
  readonly provider: EIP1193Provider
  readonly address: Address
}

declare global {
  interface Window {
    readonly ethereum?: EIP1193Provider
  }
}

/** Listens for wallets and tells of all of them whenever there is one more. */
export function discoverWallets(tell: (wallets: readonly FoundWallet[]) => void): void {
  const found = new Map<string, FoundWallet>()
  const all = (): FoundWallet[] => {
    const { ethereum } = window
    if (found.size > 0 || ethereum === undefined) return [...found.values()]
    return [{ key: 'ethereum', name: 'Browser wallet', icon: undefined, provider: ethereum }]
  }
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnouncement(event)
    if (wallet === undefined || found.has(wallet.key)) return
    found.set(wallet.key, wallet)
    tell(all())
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  tell(all())
}

function readAnnouncement(event: Event): FoundWallet | undefined {
  if (!(event instanceof CustomEvent)) return undefined
  // Any script of the browser may announce: what does not have the shape of a wallet is passed over.
  const { info, provider } = Object(event.detail)
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return undefined
  if (typeof provider?.request !== 'function') return undefined
  const icon = typeof info.icon === 'string' && info.icon.startsWith('data:image/') ? info.icon : undefined
  return { key: info.uuid, name: info.name, icon, provider }
}

/** Asks the wallet for its accounts, which asks its user. */
export async function connect({ provider }: FoundWallet): Promise<{ address: Address; chainId: number }> {
  const [account] = await provider.request({ method: 'eth_requestAccounts' })
  if (account === undefined) throw new Error('The wallet has given no account.')
  return { address: getAddress(account), chainId: await chainOf(provider) }
}

/** The connected wallet as the client takes it. Blocks of a few seconds are looked for once a second. */
export function walletClientOf({ provider, address }: ConnectedWallet) {
  return createWalletClient({ account: address, transport: custom(provider), pollingInterval: 1_000 })
}

export async function chainOf(provider: EIP1193Provider): Promise<number> {
  return Number(await provider.request({ method: 'eth_chainId' }))
}

/** The newest block that the wallet's own node knows. */
export async function blockNumberOf({ provider }: ConnectedWallet): Promise<number> {
  return Number(await provider.request({ method: 'eth_blockNumber' }))
}

const DEVELOPMENT_CHAIN = {
  id: 31337,
  name: 'Remit development chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
} as const

/** Asks the wallet to switch, and to learn the chain first where it does not know it. */
export async function switchTo(provider: EIP1193Provider, chainId: number): Promise<void> {
  const hex = `0x${chainId.toString(16)}` as const
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] })
  } catch (error) {
    const chain = [DEVELOPMENT_CHAIN, base, baseSepolia].find(({ id }) => id === chainId)
    // EIP-3326: the wallet does not know the chain.
    if (chain === undefined || Object(error).code !== 4902) throw error
    const { name, nativeCurrency, rpcUrls } = chain
    const added = { chainId: hex, chainName: name, nativeCurrency, rpcUrls: [...rpcUrls.default.http] }
    await provider.request({ method: 'wallet_addEthereumChain', params: [added] })
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] })
  }
}
