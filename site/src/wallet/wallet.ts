import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Address } from 'viem'
import { recall, remember } from '../page/stored.ts'
import { type FoundWallet, foundWallets } from './found.ts'

/** A wallet whose user lets this site see an address. */
export interface ConnectedWallet {
  readonly wallet: FoundWallet
  readonly address: Address
  /** The chain that the wallet is on now. */
  readonly chainId: number
}

const KEY = 'remit.wallet'
const state = signal<ConnectedWallet | undefined>(undefined)

/** The connected wallet. It follows what the user changes in the wallet; `undefined` while none is connected. */
export const connected: ReadonlySignal<ConnectedWallet | undefined> = state

/** Asks a wallet for its accounts, which asks its user. Throws what the wallet throws. */
export async function connect(wallet: FoundWallet): Promise<void> {
  await take(wallet, await wallet.provider.request({ method: 'eth_requestAccounts' }))
  remember(KEY, wallet.key)
}

/** Lets go of the wallet on this site. Wallets keep their own list of sites. */
export function disconnect(): void {
  stopListening()
  state.peek()?.wallet.letGo?.()
  state.value = undefined
  remember(KEY, undefined)
}

let stopListening = () => {}

async function take(wallet: FoundWallet, accounts: readonly string[]): Promise<void> {
  const [account] = accounts
  stopListening()
  if (account === undefined || !isAddress(account)) {
    state.value = undefined
    return
  }
  const { provider } = wallet
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  state.value = { wallet, address: account, chainId }
  const onAccounts = (next: readonly string[]) => void take(wallet, next)
  const onChain = (next: string) => {
    if (state.value !== undefined) state.value = { ...state.value, chainId: Number(next) }
  }
  provider.on('accountsChanged', onAccounts)
  provider.on('chainChanged', onChain)
  stopListening = () => {
    provider.removeListener('accountsChanged', onAccounts)
    provider.removeListener('chainChanged', onChain)
    stopListening = () => {}
  }
}

function isAddress(text: string): text is Address {
  return /^0x[0-9a-f]{40}$/i.test(text)
}

/** Takes up the wallet of the last visit, if it still lets this site see an account. It asks nobody. */
const giveUp = effect(() => {
  const key = recall(KEY)
  const wallet = foundWallets.value.find((one) => one.key === key)
  if (key === undefined) queueMicrotask(() => giveUp())
  if (wallet === undefined || state.peek() !== undefined) return
  queueMicrotask(() => giveUp())
  wallet.provider
    .request({ method: 'eth_accounts' })
    .then((accounts) => take(wallet, accounts))
    .catch(() => {})
})
