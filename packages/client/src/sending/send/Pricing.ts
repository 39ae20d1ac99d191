import type { Hash } from 'viem'
import type { LookBlock } from './lastLook.ts'

/** What a transaction offers for a unit of gas, in wei. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * Gas, fees and nonce as the program decides them that holds the key, and what it does while nobody mines the
 * transaction. Without it they are the node's.
 */
export interface Pricing {
  readonly nonce: number
  readonly gas: bigint
  readonly fees: Fees
  /** The block on which the call is tried before it is signed. */
  readonly lookAt: LookBlock
  /** `raise` is asked when the transaction was sent so long ago and is not mined. */
  readonly raiseAfterMs: number
  /**
   * Higher fees for a transaction that takes its place, with the same nonce. `undefined` leaves the fees as they are:
   * the same transaction is then sent once more, since the node may have dropped it.
   */
  raise(sent: Fees): Promise<Fees | undefined>
  /** How often to look for the transaction that used the nonce before giving up. */
  readonly mostLooksAfterNonce: number
  onEvent(event: PricingEvent): void
}

/** What happens to a transaction while it is waited for. */
export type PricingEvent =
  /** It was signed again with higher fees; this is its new hash. */
  | { readonly kind: 'raised'; readonly hash: Hash; readonly fees: Fees }
  /** The node does not take this version of it. An earlier one may still be mined. */
  | { readonly kind: 'refused'; readonly hash: Hash; readonly error: unknown }
  /** The node stopped answering. It is asked again, and further failures in a row are not told. */
  | { readonly kind: 'fault'; readonly error: unknown }
