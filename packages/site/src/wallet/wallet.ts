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

/** A wallet whose events the page hears. It goes on while the wallet is locked: that is how unlocking is noticed. */
interface Listening {
  readonly provider: FoundWallet['provider']
  onAccounts(accounts: readonly string[]): void
  /** Resolves when its chain is known. */
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

/** Forgets the wallet on this site. The wallet keeps this site in its own list all the same. */
export function disconnect(): void {
  choice += 1
  state.peek()?.wallet.letGo?.()
  listening?.stop()
  remember(KEY, undefined)
}

/** Makes it the wallet that the page listens to. Resolves when its chain is known. */
function take(wallet: FoundWallet, accounts: readonly string[]): Promise<void> {
  // A wallet that was just unlocked has mostly reported the same accounts by an event already: then nothing starts again.
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
  /** Counts the events about its chain. One that comes while the wallet is asked is newer than the answer. */
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

/**
 * Connects the wallet of the last visit again once it is found, without asking its user: if it still lets this site see an
 * account. The effect ends itself in a microtask, because at its first run `stopLooking` is not assigned yet.
 */
const stopLooking = effect(() => {
  const key = recall(KEY)
  const wallet = foundWallets.value.find((one) => one.key === key)
  if (key === undefined) queueMicrotask(() => stopLooking())
  if (wallet === undefined) return
  queueMicrotask(() => stopLooking())
  wallet.provider
    .request({ method: 'eth_accounts' })
    // By then the visitor may have chosen another.
    .then((accounts) => (choice === 0 ? take(wallet, accounts) : undefined))
    .catch(() => {})
})
