import type { Address, Hex } from 'viem'

// A rescue is a permit (a signed allowance) that a member leaves with the service, so that its provider can send it to the token
// before the next charge fails. The service keeps them (`service/rescues/`).

/** A signed permit that its owner has handed in for its provider to carry. */
export interface NewRescue {
  readonly chainId: number
  readonly owner: Address
  readonly token: Address
  /** Whom the owner pays, and wants it carried by. */
  readonly provider: Address
  /** The allowance that it sets, in the token's smallest unit. */
  readonly value: bigint
  /** Whether it was signed as `allowed: true`, in DAI's own form, and not by an amount. */
  readonly isAllowed: boolean
  /** Unix seconds, by the chain's clock. */
  readonly deadline: number
  readonly nonce: bigint
  readonly signature: Hex
  /** Whether anybody may see and carry it. */
  readonly isPublic: boolean
}

/** A permit that is kept. */
export interface Rescue extends NewRescue {
  readonly id: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** What a new permit saves, for the one who is told of it. */
export interface RescueNews {
  /** The chain's clock, unix seconds. */
  readonly now: number
  /** The block that it was tried at. */
  readonly blockNumber: number
  /** The owner's active subscriptions with the provider in the token. */
  readonly subscriptionIds: readonly Hex[]
}

/** The permits that are kept, as one caller may see and change them. Every method throws KeysUnavailableError. */
export interface RescuesPort {
  /**
   * Keeps a permit that was tried, in place of an older one of the same token and nonce. The same one once more changes
   * nothing. Throws MaxRescuesError where there are too many of the wallet, the provider or the caller's network address.
   */
  keep(rescue: NewRescue, news: RescueNews): Promise<Rescue>
  /**
   * Newest first, those that are not over: of a provider all that its members have handed in, of a member its own, and of
   * everybody else those that are public; without a provider the public ones of all.
   * @param query.now the chain's clock, unix seconds
   * @param query.after the nextCursor of the page before. Throws ValidationError for another text
   */
  list(query: {
    readonly chainId: number
    readonly provider: Address | undefined
    readonly now: number
    readonly first: number
    readonly after: string | undefined
  }): Promise<{ readonly rows: readonly Rescue[]; readonly nextCursor: string | null }>
  /**
   * Forgets a permit of the caller's own. It stays valid for whoever has read it. Throws UnauthorizedError where the caller
   * has no wallet, RescueNotFoundError.
   */
  withdraw(chainId: number, id: string): Promise<void>
}

/** A permit that a wallet has signed, and that could still be carried: a prepare warns of it. */
export interface OutstandingPermit {
  /** The allowance that it sets, in the token's smallest unit. */
  readonly value: bigint
  /** Unix seconds. */
  readonly deadline: number
  /** It is void once the owner's next nonce is another one. */
  readonly nonce: bigint
}

/** The permits of a wallet for the protocol that whoever runs this knows of; `undefined` where that cannot be told now. */
export type FindOutstandingPermits = (asked: {
  readonly chainId: number
  readonly owner: Address
  readonly token: Address
}) => Promise<readonly OutstandingPermit[] | undefined>
