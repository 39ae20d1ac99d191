/**
 * What a keeper needs of its surroundings, as interfaces that tests replace: the service, signed permits, the chain by its own node, the
 * clock, the journal; and the errors by which service and chain tell it what is wrong.
 *
 * A remit is a call of the protocol's `remit()`, which charges what is due and pays its caller. To carry a permission is to send a permit
 * that a member has signed.
 */

import type { Address, Hex } from 'viem'
import type { OwnCall } from '../../sending/check/prepareHere.ts'
import type { Fees } from '../../sending/send/lastLook.ts'
import type { SignedPermit } from '../../sending/signed/SignedPermit.ts'
import type { WalletLog } from '../../sending/wait/decodeEvents.ts'

/** A token as the keeper's own node knows it. */
export interface KeeperToken {
  readonly address: Address
  readonly symbol: string | null
  /** `null` where the token does not tell them: then it cannot have a price. */
  readonly decimals: number | null
}

/** What a remit pays its caller in one token, in that token's smallest unit; more than 0. */
export interface Gain {
  readonly token: KeeperToken
  readonly amountRaw: bigint
}

/** A UTC day. */
interface KeeperDay {
  readonly dayNumber: number
  readonly date: string
}

/** How far remit has come: days before `nextUncheckedDay` are finished. */
export interface KeeperState {
  readonly chainId: number
  readonly contractAddress: Address
  /** Unix seconds of the block that it was read at: the chain's clock. */
  readonly headTimestamp: number
  readonly nextUncheckedDay: KeeperDay
  readonly currentDay: KeeperDay
}

/** A balance that the service says will change. */
export interface BalanceChange {
  readonly account: Address
  readonly token: Address
  /** In the token's smallest unit. */
  readonly amountRaw: bigint
}

/** What the service says about a remit. Its call was checked to be exactly remit(). The keeper signs a transaction of its own. */
export interface PreparedRemit {
  readonly changes: readonly BalanceChange[]
  /** Calls of remit() that the backlog takes, this one included. */
  readonly expectedTransactions: number
}

/** The service, as far as a keeper needs it. Throws ServiceFaultError, ServiceBusyError, NoRemitError, and others that end the keeper. */
export interface KeeperService {
  /** One cheap request. Its block is not older than that of the keeper's last remit. */
  state(): Promise<KeeperState>
  /**
   * One request, which costs a write unit. Throws ServiceFaultError where the answer is for a day that has ended by the keeper's own
   * node: the next call then asks for that node's block.
   * @param onRequest called before the request
   */
  prepareRemit(onRequest: () => void): Promise<PreparedRemit>
  /**
   * One page of the permissions that anybody may carry, newest first, by one expensive request. Nothing of it is known to be true.
   * @param after the `next` of the page before
   */
  offers(after: string | undefined): Promise<OfferPage>
}

interface OfferPage {
  readonly permits: readonly SignedPermit[]
  /** `undefined` at the end of the list. */
  readonly next: string | undefined
}

/** Signed permits as the keeper's own node judges them. */
export interface KeeperPermits {
  /**
   * The call that carries it, tried on the newest block; `undefined` where the token would not take it, or where somebody has
   * carried it already. Throws whatever the node fails with.
   */
  callOf(permit: SignedPermit): Promise<OwnCall | undefined>
}

/** A transaction as it is signed; EIP-1559, without value. */
export interface RemitTransaction extends OwnCall {
  readonly chainId: number
  readonly nonce: number
  readonly gas: bigint
  readonly fees: Fees
}

/** What a remit does when it is tried at the keeper's own node, on top of the last block. */
export type RemitTry =
  | {
      readonly kind: 'reverts'
      /** The contract's own word; `undefined` where it gave none. */
      readonly reason?: string | undefined
    }
  | {
      readonly kind: 'runs'
      /** To sign with: what the try took, and a margin. */
      readonly gasLimit: bigint
      /** What it pays the keeper; `undefined` where the node has no eth_simulateV1 to tell it by. */
      readonly gains: readonly Gain[] | undefined
    }

/** What one remit does about one subscriber. */
export type RemitOutcomeAhead = {
  /** Names the subscription and its subscriber. */
  readonly key: string
} & (
  | {
      readonly kind: 'charged'
      /** One caller's fee of it, at least: without the system's share, whether that is taken or not. */
      readonly fee: Gain
    }
  | { readonly kind: 'dropped' }
)

/** One of the remits that follow each other. */
export interface RemitAhead {
  readonly gasLimit: bigint
  readonly gains: readonly Gain[]
  readonly outcomes: readonly RemitOutcomeAhead[]
}

/** What the keeper's own node says of the first remits of the next UTC day. */
export interface RemitsAhead {
  /** Of the call that was run before them; 0 without one. */
  readonly callGasLimit: bigint
  /** As many as succeed one after the other, up to a bound. */
  readonly remits: readonly RemitAhead[]
}

/** What a unit of gas costs, by the keeper's own node. */
export interface NodeFees extends Fees {
  /** The next block's base fee and the priority fee. */
  readonly nextFeePerGas: bigint
}

/** A transaction that waits to be mined. */
export interface PendingTransaction {
  readonly hash: Hex
  /** `null` where it creates a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly fees: Fees
}

/** What is known once a transaction is in a block. */
export interface RemitReceipt {
  readonly hash: Hex
  readonly blockNumber: number
  readonly succeeded: boolean
  /** Gas at the price that was paid, and the L1 data fee. */
  readonly paidWei: bigint
  /**
   * What the protocol's contract paid the keeper for it: one entry for each token, its payments added up. `undefined` where
   * it could not be read.
   */
  readonly earned: readonly Gain[] | undefined
}

/** The chain by the keeper's own RPC. Throws ChainFaultError. */
export interface KeeperChain {
  /** The keeper's next nonce after the last block, and after what waits to be mined. */
  nonces(): Promise<{ readonly latest: number; readonly pending: number }>
  /** The keeper's transaction with this nonce; `undefined` where the node does not show it. */
  pendingAt(nonce: number): Promise<PendingTransaction | undefined>
  /** In wei. */
  balance(): Promise<bigint>
  /** The usual fees per gas now. */
  fees(): Promise<NodeFees>
  /** What the chain takes for the transaction's bytes on L1, in wei; 0 where it takes nothing. */
  l1DataFee(transaction: RemitTransaction): Promise<bigint>
  /** Runs a remit without sending it. */
  tryRemit(): Promise<RemitTry>
  /**
   * Runs the first remits after the next midnight, and with `before` that call in the next block; `undefined` where that call
   * reverts. Throws NoSimulationError where the node has no eth_simulateV1.
   */
  remitsAhead(before?: OwnCall): Promise<RemitsAhead | undefined>
  /** A token's symbol and decimals, as the token itself tells them. */
  token(address: Address): Promise<KeeperToken>
  /** What the protocol's contract paid the keeper in a run with these logs: one entry for each token, as in `RemitReceipt`. */
  earned(logs: readonly WalletLog[]): Promise<Gain[]>
}

export interface KeeperClock {
  /** Unix milliseconds of the wall's clock. */
  now(): number
  /** Resolves after so long, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A value that the journal writes beside a message, for programs. */
export type Fact =
  | string
  | number
  | boolean
  | bigint
  | null
  | readonly Fact[]
  | { readonly [name: string]: Fact }

export type Facts = Readonly<Record<string, Fact>>

/** Where the keeper says what it decides: one line each. */
export interface Journal {
  tell(event: string, message: string, facts?: Facts): void
}

/** The service fails or cannot be reached at the moment. */
export class ServiceFaultError extends Error {
  override readonly name = 'ServiceFaultError'
}

/** The service has said when to try again. */
export class ServiceBusyError extends Error {
  override readonly name = 'ServiceBusyError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options: { cause?: unknown } = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No remit is possible: nothing is due, or something prevents it. */
export class NoRemitError extends Error {
  override readonly name = 'NoRemitError'
  /** The service's code: NOTHING_DUE, REMIT_NOT_DUE, REMIT_STALLED… */
  readonly code: string

  constructor(message: string, code: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The keeper's own node fails or cannot be reached at the moment. */
export class ChainFaultError extends Error {
  override readonly name = 'ChainFaultError'
}

/** The keeper's own node has no eth_simulateV1, so it cannot tell what a remit pays. */
export class NoSimulationError extends Error {
  override readonly name = 'NoSimulationError'
}
