import { type Address, getAddress } from 'viem'
import { errorBox } from './boxes.ts'
import { announce, element, facts, heading, part, show } from './element.ts'
import {
  type ConnectedWallet,
  chainOf,
  connect,
  discoverWallets,
  type FoundWallet,
  switchTo,
} from './wallets.ts'

interface Connection {
  readonly wallet: FoundWallet
  readonly address: Address
  readonly chainId: number
}

/** The part of the page in which a wallet is chosen, connected, and brought to the right chain. */
export class WalletSection {
  readonly #chain: { readonly chainId: number; readonly name: string }
  readonly #onChange: (wallet: ConnectedWallet | undefined) => void
  #found: readonly FoundWallet[] = []
  #connection: Connection | undefined
  #trouble: HTMLElement | undefined
  #busy = false

  /** @param onChange told of a wallet only while it is connected and on the chain */
  constructor(
    chain: { readonly chainId: number; readonly name: string },
    onChange: (wallet: ConnectedWallet | undefined) => void,
  ) {
    this.#chain = chain
    this.#onChange = onChange
    discoverWallets((wallets) => {
      this.#found = wallets
      this.#render()
    })
  }

  async #connect(wallet: FoundWallet): Promise<void> {
    await this.#attempt(async () => {
      const { address, chainId } = await connect(wallet)
      this.#follow(wallet)
      this.#become({ wallet, address, chainId })
    })
  }

  /** Wallets change account and chain by themselves. */
  #follow(wallet: FoundWallet): void {
    const mine = () => this.#connection?.wallet === wallet
    wallet.provider.on('accountsChanged', ([account]) => {
      if (!mine() || this.#connection === undefined) return
      this.#become(account === undefined ? undefined : { ...this.#connection, address: getAddress(account) })
    })
    wallet.provider.on('chainChanged', (chainId) => {
      if (!mine() || this.#connection === undefined) return
      this.#become({ ...this.#connection, chainId: Number(chainId) })
    })
  }

  #become(connection: Connection | undefined): void {
    const before = this.#connection
    const same = before?.address === connection?.address && before?.chainId === connection?.chainId
    this.#connection = connection
    this.#trouble = undefined
    this.#render()
    if (!same) this.#tell(connection)
  }

  #tell(connection: Connection | undefined): void {
    const right = connection?.chainId === this.#chain.chainId
    if (connection === undefined || !right) {
      announce(
        connection === undefined ? 'The wallet is no longer connected.' : 'The wallet is on another chain.',
      )
      this.#onChange(undefined)
      return
    }
    const { wallet, address } = connection
    announce(`Connected as ${address}.`)
    this.#onChange({ name: wallet.name, provider: wallet.provider, address })
  }

  async #switch({ wallet }: Connection): Promise<void> {
    await this.#attempt(async () => {
      await switchTo(wallet.provider, this.#chain.chainId)
      const chainId = await chainOf(wallet.provider)
      if (this.#connection !== undefined) this.#become({ ...this.#connection, chainId })
    })
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    this.#trouble = undefined
    this.#busy = true
    this.#render()
    try {
      await act()
    } catch (error) {
      this.#trouble = errorBox(error)
    } finally {
      this.#busy = false
      this.#render()
    }
  }

  #render(): void {
    const connection = this.#connection
    show(
      part('wallet'),
      heading('wallet-title', 'Your wallet'),
      ...(connection === undefined ? this.#choices() : this.#standing(connection)),
      this.#trouble,
    )
  }

  #choices(): HTMLElement[] {
    if (this.#found.length === 0) {
      return [
        element('p', {}, 'No wallet was found in this browser. Install one, then load this page again.'),
      ]
    }
    return [
      element('p', {}, 'Connecting lets this page see your address. Nothing is paid by it.'),
      element('div', { className: 'wallets' }, ...this.#found.map((wallet) => this.#choice(wallet))),
    ]
  }

  #choice(wallet: FoundWallet): HTMLElement {
    const { key, name, icon } = wallet
    return element(
      'button',
      {
        type: 'button',
        id: `wallet-${key}`,
        disabled: this.#busy,
        onclick: () => void this.#connect(wallet),
      },
      icon === undefined ? undefined : element('img', { src: icon, alt: '', width: 24, height: 24 }),
      `Connect ${name}`,
    )
  }

  #standing(connection: Connection): HTMLElement[] {
    const { wallet, address, chainId } = connection
    const { name } = this.#chain
    const right = chainId === this.#chain.chainId
    const standing = facts(
      ['Connected', wallet.name],
      ['Address', element('code', {}, address)],
      ['Chain', right ? name : `${chainId}, which is not this subscription’s`],
    )
    if (right) return [standing]
    return [
      standing,
      element('p', { className: 'warning' }, `This subscription is on ${name} (${this.#chain.chainId}).`),
      element(
        'button',
        { type: 'button', id: 'switch', disabled: this.#busy, onclick: () => void this.#switch(connection) },
        `Switch the wallet to ${name}`,
      ),
    ]
  }
}
