import type { Address } from 'viem'

/** A permit that a wallet has signed. Whoever holds it can carry it until its deadline. */
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
