import type { Address, Hex } from 'viem'
import type { Fees } from '../decide/fees.ts'
import type { Gain, KeeperToken } from '../decide/weighRemit.ts'

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

/** A balance that the service says will change. */
export interface BalanceChange {
  readonly account: Address
  readonly token: Address
  /** In the token's smallest unit. */
  readonly amountRaw: bigint
}

/** One remit as the service prepared it. Nothing of it is ever signed. */
export interface PreparedRemit {
  readonly chainId: number
  readonly transactions: readonly {
    readonly to: Address
    readonly data: Hex
    readonly value: bigint
    readonly chainId: number
    readonly from: Address
  }[]
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

/** The keeper's only call: remit() of the protocol's contract. It has no arguments and takes no value. */
export interface RemitCall {
  readonly to: Address
  readonly data: Hex
}

/** A transaction as it is signed; EIP-1559, without value. */
export interface RemitTransaction extends RemitCall {
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

/** What a unit of gas costs, by the keeper's own node. */
export interface NodeFees extends Fees {
  /** The next block's base fee and the priority fee. */
  readonly nextFeePerGas: bigint
}

/** A transaction that waits to be mined. */
export interface PendingTransaction {
  readonly hash: Hex
  /** `null` where it makes a contract. */
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
  /** What the protocol's contract paid the keeper for it, a token once. */
  readonly earned: readonly Gain[]
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
  /** The keeper's transaction with this nonce; `undefined` where the node does not show it. */
  pendingAt(nonce: number): Promise<PendingTransaction | undefined>
  /** In wei. */
  balance(): Promise<bigint>
  fees(): Promise<NodeFees>
  /** What the chain takes for the transaction's bytes on L1, in wei; 0 where it takes nothing. */
  l1DataFee(transaction: RemitTransaction): Promise<bigint>
  tryRemit(): Promise<RemitTry>
  /** Whether the remit reverts now; with `pending`, after what waits to be mined. */
  reverts(block: 'latest' | 'pending'): Promise<boolean>
  token(address: Address): Promise<KeeperToken>
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

export type Facts = Readonly<Record<string, Fact>>

/** Where the keeper says what it decides: one line each. */
export interface Journal {
  tell(event: string, message: string, facts?: Facts): void
}
