import { type ReadonlySignal, signal } from '@preact/signals'
import { createStore, type EIP6963ProviderDetail } from 'mipd'
import type { EIP1193Provider } from 'viem'
import { pageData } from '../page/pageData.ts'

/** A wallet that this browser has, by EIP-6963 or as `window.ethereum`. */
export interface FoundWallet {
  /** The same on every visit. */
  readonly key: string
  readonly name: string
  /** A data: URL, or nothing: the page loads no picture from anywhere. */
  readonly icon: string | undefined
  readonly provider: EIP1193Provider
  /** Ends the connection, for a wallet on another device. Wallets of the browser keep theirs. */
  readonly letGo?: () => void
}

declare global {
  interface Window {
    readonly ethereum?: EIP1193Provider
  }
}

const wallets = signal<readonly FoundWallet[]>([])

/** The wallets found so far. More may come at any time. */
export const foundWallets: ReadonlySignal<readonly FoundWallet[]> = wallets

const store = createStore()
const refresh = () => {
  wallets.value = all(store.getProviders())
}
store.subscribe(refresh)
refresh()

// A development chain brings wallets along. Nobody else loads them.
const { chain } = pageData
if (chain?.testWallets) {
  void import('./testWallets.ts').then(({ announceTestWallets }) => announceTestWallets(chain))
}

function all(announced: readonly EIP6963ProviderDetail[]): readonly FoundWallet[] {
  const rows = announced.flatMap(read)
  const { ethereum } = window
  if (rows.length > 0 || ethereum === undefined) return rows
  return [{ key: 'window.ethereum', name: 'Browser wallet', icon: undefined, provider: ethereum }]
}

/** Any script of the page or of an extension may announce a wallet: what does not have the shape of one is ignored. */
function read({ info, provider }: EIP6963ProviderDetail): FoundWallet[] {
  if (typeof info?.name !== 'string' || typeof info.rdns !== 'string') return []
  if (typeof provider?.request !== 'function') return []
  const icon = typeof info.icon === 'string' && info.icon.startsWith('data:image/') ? info.icon : undefined
  return [{ key: info.rdns, name: info.name, icon, provider }]
}
