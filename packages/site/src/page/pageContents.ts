/** What an address says: the parts of its path, and of its query what the page takes. */
export interface PageAddress {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** What one read of the page's declaration came to: the body as REST sends it, be it an answer or an error. */
export interface PageAnswer {
  /** The client's name of the operation, such as `getSubscription`. */
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** By the keys of the page's declaration. */
export type PageAnswers = Readonly<Record<string, PageAnswer>>

/** Who runs a service, as they say of themselves. */
export interface Operator {
  readonly name: string
  readonly contact: { readonly words: string; readonly href: string } | null
}

/** What a page finds in its document. The service writes it, and `pageData.ts` reads it. */
export interface PageData extends PageAddress {
  /** Which page it is. */
  readonly page: string
  readonly version: string
  /** The public address of the service, without a slash at its end. */
  readonly publicUrl: string
  /** Who runs the service; `null` where that was not said. */
  readonly operator: Operator | null
  /** The id of WalletConnect's project; `null` where its wallets are not offered. */
  readonly walletConnect: string | null
  /** Whether signed permissions can be left here for the providers of plans. */
  readonly keepsRescues: boolean
  /** All chains of the service, for the visitor to choose from. */
  readonly chains: readonly { readonly chainId: number; readonly name: string }[]
  /** The page's chain. What was read at a block is `null` where the chain could not be read. */
  readonly chain: PageChain | null
  readonly answers: PageAnswers
  /** The error's body, where the service refused the page as a whole. */
  readonly refusal?: Readonly<Record<string, unknown>>
}

/** An account of a development chain's node. */
export interface TestWallet {
  /** Its place in the node's list; -1 is the last one. */
  readonly account: number
  readonly name: string
}

export interface PageChain {
  readonly chainId: number
  readonly name: string
  readonly isDefault: boolean
  /** The node that wallets may be told of: `null` but for a development chain. */
  readonly devRpcUrl: string | null
  /** Only on a development chain: accounts of that node that may be chosen as wallets. */
  readonly testWallets?: readonly TestWallet[]
  readonly contract: string | null
  readonly block: {
    readonly blockNumber: number
    readonly blockHash: string
    /** Unix seconds. */
    readonly timestamp: number
  } | null
  /** The day of the chain's clock, unix time / 86400. */
  readonly today: number | null
}
