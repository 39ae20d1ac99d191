import type { Client, Subscription } from '@remit/client'
import { type Hex, isAddressEqual } from 'viem'
import { errorBox, revokeBox } from './boxes.ts'
import { announce, element, heading, part, show } from './element.ts'
import { type Entry, entriesOf } from './entriesOf.ts'
import { historyTable } from './historyTable.ts'
import { type Leaving, type Membership, membershipCard } from './membershipCard.ts'
import { type ConnectedWallet, walletClientOf } from './wallets.ts'
import { waitingWords } from './words.ts'

/** The account is one request on the free lane's twenty a minute; its history, of three, is asked for on a change. */
const EVERY_MS = 6_000
const MOST_EVENTS = 50

/** Who is told of what happens here. */
export interface AccountListener {
  /** The terms as they are now, where something of the account has changed. */
  onChanged(subscriptions: readonly Subscription[]): void
  /** The account has left a subscription, and the service has seen it. */
  onLeft(): void
}

/** What the connected account subscribes to, and what happened, kept up to date while the page is seen. */
export class AccountSection {
  readonly #client: Client
  readonly #listener: AccountListener
  #wallet: ConnectedWallet | undefined
  #memberships: readonly Membership[] = []
  #entries: readonly Entry[] = []
  #seen = ''
  /** The block of the account's own last transaction: an answer from before it would be out of date. */
  #ownBlock = 0
  #leaving: { readonly id: Hex; readonly state: 'asked' | 'signing' } | undefined
  #boxes: readonly HTMLElement[] = []
  #failed = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, listener: AccountListener) {
    this.#client = client
    this.#listener = listener
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.refresh()
    })
  }

  follow(wallet: ConnectedWallet | undefined): void {
    this.#wallet = wallet
    this.#memberships = []
    this.#entries = []
    this.#seen = ''
    this.#leaving = undefined
    this.#boxes = []
    part('account').hidden = true
    void this.refresh()
  }

  /**
   * Reads the account again, and its history where something has changed.
   * @param ownBlock where the account has just sent something itself: its block
   */
  async refresh(ownBlock = this.#ownBlock): Promise<void> {
    this.#ownBlock = ownBlock
    clearTimeout(this.#timer)
    const wallet = this.#wallet
    if (wallet === undefined || document.hidden) return
    try {
      const changed = await this.#read(wallet)
      // A trouble of reading is over with the next answer.
      if (this.#failed) this.#boxes = []
      if (wallet === this.#wallet && (changed || this.#failed)) this.#render()
      this.#failed = false
    } catch (error) {
      if (wallet !== this.#wallet) return
      this.#failed = true
      this.#boxes = [errorBox(error)]
      this.#render()
    }
    if (wallet !== this.#wallet) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.refresh(), EVERY_MS)
  }

  /** Returns whether anything is other than before. */
  async #read(wallet: ConnectedWallet): Promise<boolean> {
    const { address } = wallet
    const { subscribedTo, asOf } = await this.#client.getAccount({ address, minBlock: this.#ownBlock })
    const seen = JSON.stringify(subscribedTo, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    if (wallet !== this.#wallet || seen === this.#seen) return false
    const page = await this.#client.getAccountActivity({ address, first: MOST_EVENTS })
    if (wallet !== this.#wallet) return false
    if (page.error !== undefined) throw new Error(page.error)

    const isFirst = this.#seen === ''
    const before = new Set(this.#entries.map(({ hash }) => hash))
    this.#memberships = subscribedTo
    this.#entries = entriesOf(page.events, address, !page.hasMore)
    // An index that has not come so far yet is asked again at the next turn.
    if (page.index !== null && page.index.blockNumber >= asOf.blockNumber) this.#seen = seen
    const payment = this.#entries.find(({ isPayment, hash }) => isPayment && !before.has(hash))
    if (!isFirst && payment !== undefined) this.#tell(`A payment of ${payment.taken ?? '?'} was taken.`)
    this.#listener.onChanged(subscribedTo.map(({ subscription }) => subscription))
    return true
  }

  #tell(sentence: string): void {
    this.#boxes = [element('p', { className: 'success' }, sentence)]
    announce(sentence)
  }

  async #leave(wallet: ConnectedWallet, { id, token }: Subscription): Promise<void> {
    this.#leaving = { id, state: 'signing' }
    this.#boxes = []
    this.#render()
    let remains = false
    try {
      const { transactions } = await this.#client.unsubscribe({ id }).send(walletClientOf(wallet), {
        onProgress(progress) {
          if (progress.kind === 'waiting') announce(waitingWords(progress))
          if (progress.kind === 'prepared') {
            remains = progress.warnings.some(({ code }) => code === 'ALLOWANCE_REMAINS')
          }
        },
      })
      this.#leaving = undefined
      await this.refresh(transactions.at(-1)?.blockNumber)
      this.#tell('You are unsubscribed.')
      if (
        remains &&
        !this.#active().some(({ subscription }) => isAddressEqual(subscription.token.address, token.address))
      ) {
        const words =
          'The protocol may still take the token from you, although you subscribe to nothing in it.'
        this.#boxes = [...this.#boxes, revokeBox(this.#client, wallet, token.address, words)]
      }
      this.#listener.onLeft()
    } catch (error) {
      this.#leaving = { id, state: 'asked' }
      this.#boxes = [errorBox(error)]
    }
    this.#render()
  }

  #active(): readonly Membership[] {
    return this.#memberships.filter(({ statusLabel }) => statusLabel === 'ACTIVE')
  }

  #render(): void {
    const wallet = this.#wallet
    if (wallet === undefined) return
    const active = this.#active()
    show(
      part('account'),
      heading('account-title', 'Your subscriptions'),
      ...this.#boxes,
      active.length === 0 ? element('p', {}, 'This wallet subscribes to nothing.') : undefined,
      ...active.map((membership) => membershipCard(membership, this.#leavingOf(wallet, membership))),
      element('h3', {}, 'What happened'),
      this.#entries.length === 0 ? element('p', {}, 'Nothing yet.') : historyTable(this.#entries),
    )
  }

  #leavingOf(wallet: ConnectedWallet, { subscription }: Membership): Leaving {
    const { id } = subscription
    // The focus goes to what is to be answered next.
    const become = (leaving: { id: Hex; state: 'asked' } | undefined, focus: string) => {
      this.#leaving = leaving
      this.#render()
      document.getElementById(focus)?.focus()
    }
    return {
      state: this.#leaving?.id === id ? this.#leaving.state : 'not asked',
      ask: () => become({ id, state: 'asked' }, `sure-${id}`),
      stay: () => become(undefined, `leave-${id}`),
      leave: () => void this.#leave(wallet, subscription),
    }
  }
}
