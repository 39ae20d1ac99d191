import type { Address, Hex } from 'viem'
import type { RemitState } from './remitBacklog.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What remit did with one subscriber on one due day. */
export interface SubscriberCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `failed`: allowance or balance is below one full period, and remit drops the subscriber. */
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** Why it failed. The allowance where both are too low. */
  readonly reason?: 'allowance' | 'balance'
  /** What left the wallet, in raw units, by the logs of a simulated call. */
  readonly taken?: bigint
  /** What it moves, without the fee, which is paid for many charges together. */
  readonly transfers: readonly TokenTransfer[]
}

/** What one transaction of remit does. */
export interface RemitEffects {
  readonly charges: SubscriberCharge[]
  /** All transfers, in the order of their logs, with those of 0. */
  readonly transfers: TokenTransfer[]
  /** The transfers that pay fees. */
  readonly fees: TokenTransfer[]
  /** What the caller gets, once per subscription and call. Both shares, where it also receives the system's. */
  readonly callerFees: { readonly token: Address; readonly amountRaw: bigint }[]
  /** Due subscriptions that lose this period to a page break (docs/protocol.md). */
  readonly skipped: { readonly id: Hex; readonly dayNumber: number }[]
}

/** Why remit reverts. */
export type RemitRevert =
  /** Revert string 6: every day up to today is empty, or checked already. */
  | 'notDue'
  /** More empty days in a row than one call can walk. */
  | 'emptyDays'
  /** Panic 0x11: a subscription's unsubscribed list is larger than its subscriber set. */
  | 'listedExceedSubscribers'
  /** The contract holds less of a token than it owes. */
  | 'contractFunds'

/** Thrown where remit reverts. On chain, the whole transaction is undone. */
export class RemitReverted extends Error {
  readonly reason: RemitRevert

  constructor(reason: RemitRevert) {
    super(reason)
    this.reason = reason
  }
}

/** Sends a token of the contract's own. Throws RemitReverted where it holds less. */
export function sendFromContract(
  { backlog, balances }: RemitState,
  run: RemitEffects,
  payment: Omit<TokenTransfer, 'from'>,
): TokenTransfer {
  const transfer = { ...payment, from: backlog.accounts.contract }
  if (!balances.transfer(transfer)) throw new RemitReverted('contractFunds')
  run.transfers.push(transfer)
  return transfer
}

/** Takes a token of a subscriber, by its allowance. */
export function takeFromSubscriber(
  { balances }: RemitState,
  run: RemitEffects,
  transfer: TokenTransfer,
): TokenTransfer {
  // Always covered: both parts of a split together are at most the full period, which was tested before.
  balances.transferByAllowance(transfer)
  run.transfers.push(transfer)
  return transfer
}
