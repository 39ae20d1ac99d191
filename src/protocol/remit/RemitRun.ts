import type { Address, Hex } from 'viem'
import type { RemitState } from './remitBacklog.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What remit did with one subscriber on one due day. */
export interface SubscriberCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `failed`: dropped from the subscription, for want of allowance or balance for one full period. */
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** Why it failed; the allowance where both are short. */
  readonly reason?: 'allowance' | 'balance'
  /** What it moves, the fee left out, which is paid for many at once. */
  readonly transfers: readonly TokenTransfer[]
}

/** What one transaction of remit does. */
export interface RemitRun {
  readonly charges: SubscriberCharge[]
  /** In the order of their logs, those of 0 included. */
  readonly transfers: TokenTransfer[]
  /** Those of them that the contract pays out of the fees. */
  readonly fees: TokenTransfer[]
  /** What the fees pay the caller, once per subscription and page; both parts where it receives the system's. */
  readonly callerFees: { readonly token: Address; readonly amountRaw: bigint }[]
  /** Due subscriptions that lose this period to a page break (protocol facts, "Remit: days and pages"). */
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

/** Thrown through a walk, which the chain undoes as a whole. */
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
  run: RemitRun,
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
  run: RemitRun,
  transfer: TokenTransfer,
): TokenTransfer {
  // Never falls short: both parts of a split together are at most the full period that was tested before.
  balances.transferByAllowance(transfer)
  run.transfers.push(transfer)
  return transfer
}
