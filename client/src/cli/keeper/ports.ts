import type { Address, Hex } from 'viem'
import type { Fees } from './fees.ts'
import type { BalanceChange } from './weighRemit.ts'

/** A UTC day. */
export interface KeeperDay {
  readonly dayNumber: number
  readonly date: string
}

/** What a cheap look tells. */
export interface KeeperState {
  readonly chainId: number
  readonly contractAddress: Address
  /** Unix seconds of the block that it was read at: the chain's clock. */
  readonly headTimestamp: number
  readonly nextUncheckedDay: KeeperDay
  readonly currentDay: KeeperDay
}

/** One remit as the service proved it. */
export interface PreparedRemit {
  readonly transactions: readonly {
    readonly to: Address
    readonly data: Hex
    readonly value: bigint
    readonly chainId: number
    readonly from: Address
  }[]
  readonly gasLimit: bigint
  readonly fees: Fees
  /** 0 where the chain has no such fee. */
  readonly l1DataFeeWei: bigint
  /** What the service reckons it costs in all. */
  readonly costWei: bigint
  readonly changes: readonly BalanceChange[]
  /** Calls of remit() that the backlog takes, this one included. */
  readonly expectedTransactions: number
}

/** The service, as far as a keeper needs it. Throws the errors of `faults.ts`, and others to give up by. */
export interface KeeperService {
  /** One cheap request. @param minBlock the answer shall not be older than this block */
  state(minBlock: number | undefined): Promise<KeeperState>
  /** One write unit. */
  prepareRemit(from: Address): Promise<PreparedRemit>
}

/** A transaction as it is signed; EIP-1559, without value. */
export interface RemitTransaction {
  readonly chainId: number
  readonly to: Address
  readonly data: Hex
  readonly nonce: number
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
  /** What the protocol's contract paid the keeper in it. */
  readonly earned: readonly { readonly token: Address; readonly amountRaw: bigint }[]
}

/** What a node said to a transaction. */
export type Broadcast =
  | { readonly kind: 'accepted' }
  /** A transaction with this nonce is in a block already. */
  | { readonly kind: 'nonceTaken' }
  | { readonly kind: 'refused'; readonly reason: string }

/** The chain by the keeper's own RPC. Throws ChainFaultError. */
export interface KeeperChain {
  /** The keeper's next nonce after the last block, and after what waits to be mined. */
  nonces(): Promise<{ readonly latest: number; readonly pending: number }>
  /** In wei. */
  balance(): Promise<bigint>
  usualFees(): Promise<Fees>
  /** Whether the call reverts now; with `pending`, after what waits to be mined. */
  reverts(call: { to: Address; data: Hex }, block: 'latest' | 'pending'): Promise<boolean>
  broadcast(signed: Hex): Promise<Broadcast>
  receipt(hash: Hex): Promise<RemitReceipt | undefined>
}

export interface KeeperWallet {
  readonly address: Address
  /** Signs, sends nothing. */
  sign(transaction: RemitTransaction): Promise<{ readonly hash: Hex; readonly signed: Hex }>
}

export interface KeeperClock {
  /** Unix milliseconds of the wall's clock. */
  now(): number
  /** Resolves after so long, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Fact =
  | string
  | number
  | boolean
  | bigint
  | null
  | readonly Fact[]
  | { readonly [name: string]: Fact }

/** Where the keeper says what it decides: one line each. */
export interface Journal {
  tell(event: string, message: string, facts?: Readonly<Record<string, Fact>>): void
}
