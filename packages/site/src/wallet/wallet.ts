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

/** A wallet that the page listens to. It stays while the wallet is locked, which is how unlocking is noticed. */
interface Listening {
  readonly provider: FoundWallet['provider']
  onAccounts(accounts: readonly string[]): void
  /** When its chain is known. */
  readonly ready: Promise<void>
  /** Asks for its chain again: not every wallet tells of a switch. */
  askChain(): Promise<void>
  stop(): void
}

let listening: Listening | undefined
/** Counts what the visitor chose: the answer to an earlier choice is dropped. */
let choice = 0

/**
 * Asks a wallet for its accounts, which asks its user. Throws what the wallet throws.
 * @returns whether this was the last choice: another wallet may have been asked meanwhile
 */
export async function connect(wallet: FoundWallet): Promise<boolean> {
  choice += 1
  const mine = choice
  const accounts = await wallet.provider.request({ method: 'eth_requestAccounts' })
  if (mine !== choice) return false
  remember(KEY, wallet.key)
  await take(wallet, accounts)
  return mine === choice
}

/** Lets go of the wallet on this site. Wallets keep their own list of sites. */
export function disconnect(): void {
  choice += 1
  state.peek()?.wallet.letGo?.()
  listening?.stop()
  remember(KEY, undefined)
}

function take(wallet: FoundWallet, accounts: readonly string[]): Promise<void> {
  // An unlocked wallet has mostly reported the same accounts by an event already, so nothing starts again.
  if (listening?.provider !== wallet.provider) {
    listening?.stop()
    listening = listenTo(wallet)
  }
  listening.onAccounts(accounts)
  return listening.ready
}

function listenTo(wallet: FoundWallet): Listening {
  const { provider } = wallet
  let address: Address | undefined
  let chainId: number | undefined
  let isStopped = false
  const show = () => {
    state.value = address === undefined || chainId === undefined ? undefined : { wallet, address, chainId }
  }
  const onAccounts = ([account]: readonly string[]) => {
    address = account !== undefined && isAddress(account) ? account : undefined
    show()
  }
  /** Counts what the wallet has told by events, which is newer than what it is still asked for. */
  let events = 0
  const setChain = (next: string) => {
    if (Number(next) === chainId) return
    chainId = Number(next)
    show()
  }
  const onChain = (next: string) => {
    events += 1
    setChain(next)
  }
  const stop = () => {
    isStopped = true
    provider.removeListener('accountsChanged', onAccounts)
    provider.removeListener('chainChanged', onChain)
    listening = undefined
    state.value = undefined
  }
  const askChain = async () => {
    const before = events
    try {
      const answered = await provider.request({ method: 'eth_chainId' })
      if (!isStopped && events === before) setChain(answered)
    } catch (error) {
      if (!isStopped && chainId === undefined) stop()
      throw error
    }
  }
  // Before the chain is asked for: what the wallet tells until it answers would be lost.
  provider.on('accountsChanged', onAccounts)
  provider.on('chainChanged', onChain)
  return { provider, onAccounts, ready: askChain(), askChain, stop }
}

/** Asks the connected wallet on which chain it is now. Rejects never: what was known then stays. */
export async function askChainAgain(): Promise<void> {
  await listening?.askChain().catch(() => {})
}

// Who comes back to the page may have switched in the wallet.
window.addEventListener('focus', () => void askChainAgain())

function isAddress(text: string): text is Address {
  return /^0x[0-9a-f]{40}$/i.test(text)
}

/** Takes up the wallet of the last visit, if it still lets this site see an account, without asking its user. */
const giveUp = effect(() => {
  const key = recall(KEY)
  const wallet = foundWallets.value.find((one) => one.key === key)
  if (key === undefined) queueMicrotask(() => giveUp())
  if (wallet === undefined) return
  queueMicrotask(() => giveUp())
  wallet.provider
    .request({ method: 'eth_accounts' })
    // The visitor may have chosen by then.
    .then((accounts) => (choice === 0 ? take(wallet, accounts) : undefined))
    .catch(() => {})
})
