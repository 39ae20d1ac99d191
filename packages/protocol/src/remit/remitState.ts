/**
 * What remit reads and changes, for the rules in `remit.ts`: the backlog as it is at one block, the state that calls of remit change, the
 * balances of tokens, and at the end what a call did and why it reverts.
 */

import { type Address, type Hex, maxUint256, zeroAddress } from 'viem'
import { dueDayOn } from '../calendar.ts'
import { FREQUENCIES, type Frequency, type SubscriptionTerms } from '../subscription.ts'

/** A member of a subscription's subscriber set. */
export interface RemitSubscriber {
  readonly address: Address
  /** Its fee balance, in protocol units (18 decimals). */
  readonly feeBalance: bigint
  /** Whether it is on the unsubscribed list, so that remit skips it. */
  readonly isUnsubscribed?: boolean
}

/** One subscription on a due list. */
export interface RemitEntry {
  readonly terms: SubscriptionTerms
  /** Whether the token is paused. */
  readonly paused: boolean
  /** The decimals in the contract's entry for the token. */
  readonly decimals: number
  /** The set in the contract's order. Accounts on the unsubscribed list may be left out where they come last. */
  readonly subscribers: readonly RemitSubscriber[]
  /** Size of the set, where `subscribers` leaves out unsubscribed accounts at its end. */
  readonly setSize?: number
  /** Length of the unsubscribed list, which may hold accounts outside the set. Default: those of the set on it. */
  readonly unsubscribedCount?: number
}

/** The contract's list of the subscriptions with one frequency and due day, in the contract's order. */
export interface DueList {
  readonly frequency: Frequency
  readonly dueDay: number
  readonly entries: readonly RemitEntry[]
}

/** Where remit broke off within a day. Positions count from 1 and are walked downwards. */
export interface Checkpoint {
  readonly id: Hex
  readonly subscriberPosition: number
  readonly subscriptionPosition: number
  readonly frequency: Frequency
}

/**
 * The most empty days in a row that one call of remit walked when the live contract was measured.
 *
 * The contract calls itself once for each empty day (docs/protocol.md). From some 200 on its stack overflows.
 */
export const EMPTY_DAYS_PER_CALL = 196

/** All that remit reads, at one block. */
export interface RemitBacklog {
  /** Day of the block in which remit would run. */
  readonly currentDay: number
  readonly nextUncheckedDay: number
  /** The most subscribers that one call charges or drops. */
  readonly maxRemits: number
  /** The contract's factor over 10000, as `systemFee`. */
  readonly callerFee: bigint
  /** `undefined` while it is switched off, which no view of the contract shows. */
  readonly systemFee: bigint | undefined
  /** The due lists of every day from nextUncheckedDay to currentDay. Empty lists may be left out. */
  readonly lists: readonly DueList[]
  /**
   * The funds of every subscriber in its subscription's token. Funds of other accounts (the contract, a provider) are
   * optional. Where they are unknown, they count as sufficient.
   */
  readonly funds: readonly TokenFunds[]
  /** Where an earlier call broke off on this day, if one did. */
  readonly checkpoint?: Checkpoint
  /** The most empty days in a row that one call can walk. Default: EMPTY_DAYS_PER_CALL. */
  readonly emptyDaysPerCall?: number
  readonly accounts: {
    readonly contract: Address
    readonly caller: Address
    /** Needed where `systemFee` is given. */
    readonly systemFeeReceiver?: Address
  }
}

/** A subscription whose subscribers change from call to call. */
export interface LiveSubscription {
  readonly terms: SubscriptionTerms
  readonly paused: boolean
  readonly decimals: number
  readonly unsubscribedCount: number
  readonly subscribers: { readonly address: Address; readonly isUnsubscribed: boolean; feeBalance: bigint }[]
}

/** The parts of a backlog that remit changes. */
export interface RemitState {
  readonly backlog: RemitBacklog
  readonly balances: TokenBalances
  /** By `listKey`. */
  readonly lists: ReadonlyMap<string, LiveSubscription[]>
  emptyDaysPerCall: number
  nextUncheckedDay: number
  checkpoint: Checkpoint | undefined
}

/** The state before the first call. */
export function remitState(backlog: RemitBacklog): RemitState {
  const lists = backlog.lists.map(
    ({ frequency, dueDay, entries }) => [listKey(frequency, dueDay), entries.map(liveSubscription)] as const,
  )
  return {
    backlog,
    balances: new TokenBalances(backlog.funds),
    emptyDaysPerCall: backlog.emptyDaysPerCall ?? EMPTY_DAYS_PER_CALL,
    lists: new Map(lists),
    nextUncheckedDay: backlog.nextUncheckedDay,
    checkpoint: backlog.checkpoint,
  }
}

/** The due list of a frequency on a day. Empty on days on which nothing can be due. */
export function listOfDay(state: RemitState, dayNumber: number, frequency: Frequency): LiveSubscription[] {
  const due = dueDayOn(dayNumber, frequency)
  return due.skipped ? [] : (state.lists.get(listKey(frequency, due.dueDay)) ?? [])
}

/** The due lists of the days from `fromDay` to `toDay`, both included, each once: 490 at most (7 weekly, 28, 90, 365). */
export function dueListsBetween(fromDay: number, toDay: number): { frequency: Frequency; dueDay: number }[] {
  const lists = new Map<string, { frequency: Frequency; dueDay: number }>()
  // Within two years every due day occurs.
  for (let day = fromDay; day <= Math.min(toDay, fromDay + 2 * 366); day += 1) {
    for (const frequency of FREQUENCIES) {
      const due = dueDayOn(day, frequency)
      if (!due.skipped) lists.set(listKey(frequency, due.dueDay), { frequency, dueDay: due.dueDay })
    }
  }
  return [...lists.values()]
}

function liveSubscription({ terms, paused, decimals, ...entry }: RemitEntry): LiveSubscription {
  const subscribers = entry.subscribers.map(({ address, feeBalance, isUnsubscribed = false }) => ({
    address,
    feeBalance,
    isUnsubscribed,
  }))
  // The zero address stands in for an unsubscribed account: only its position matters.
  const hidden = { address: zeroAddress, feeBalance: 0n, isUnsubscribed: true }
  const missing = Math.max(0, (entry.setSize ?? 0) - subscribers.length)
  for (let count = 0; count < missing; count += 1) subscribers.push(hidden)
  const unsubscribedCount =
    entry.unsubscribedCount ?? subscribers.filter(({ isUnsubscribed }) => isUnsubscribed).length
  return { terms, paused, decimals, unsubscribedCount, subscribers }
}

function listKey(frequency: Frequency, dueDay: number): string {
  return `${frequency}:${dueDay}`
}

/** Removes a position, counted from 1, as the contract's sets do: the last element moves into the gap. */
export function removeAt<Element>(list: Element[], position: number): void {
  const last = list.pop()
  if (last !== undefined && position <= list.length) list[position - 1] = last
}

/** What an account holds of a token, and how much of it the protocol's contract may move, in raw units. */
interface TokenFunds {
  readonly token: Address
  readonly account: Address
  readonly balance: bigint
  readonly allowance: bigint
}

/** One ERC-20 transfer, in raw units. */
export interface TokenTransfer {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amountRaw: bigint
}

interface Holding {
  balance: bigint
  allowance: bigint
}

/** The balances and allowances of known accounts, changed as a plain ERC-20 changes them. */
export class TokenBalances {
  readonly #holdings = new Map<string, Holding>()

  constructor(funds: Iterable<TokenFunds>) {
    for (const { token, account, balance, allowance } of funds) {
      this.#holdings.set(key(token, account), { balance, allowance })
    }
  }

  find(token: Address, account: Address): Readonly<Holding> | undefined {
    return this.#holdings.get(key(token, account))
  }

  /** Makes a transfer. Answers `false` where the sender is known to hold less. */
  transfer({ token, from, to, amountRaw }: TokenTransfer): boolean {
    const sender = this.#holdings.get(key(token, from))
    if (sender !== undefined) {
      if (sender.balance < amountRaw) return false
      sender.balance -= amountRaw
    }
    const receiver = this.#holdings.get(key(token, to))
    if (receiver !== undefined) receiver.balance += amountRaw
    return true
  }

  /** Makes a transfer by the sender's allowance. Answers `false` where allowance or balance is too low. */
  transferByAllowance(transfer: TokenTransfer): boolean {
    const sender = this.#holdings.get(key(transfer.token, transfer.from))
    if (sender !== undefined && sender.allowance < transfer.amountRaw) return false
    if (!this.transfer(transfer)) return false
    // Most tokens do not reduce an allowance of 2^256 - 1.
    if (sender !== undefined && sender.allowance !== maxUint256) sender.allowance -= transfer.amountRaw
    return true
  }
}

function key(token: Address, account: Address): string {
  return `${token}:${account}`.toLowerCase()
}

/** What remit did with one subscriber on one due day. */
export interface SubscriberCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `failed`: allowance or balance is below one full period, and remit drops the subscriber. */
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** Why it failed; `allowance` where both are too low. */
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
  /** What the caller gets, once per subscription and call; with the system's share, where it receives that too. */
  readonly callerFees: { readonly token: Address; readonly amountRaw: bigint }[]
  /** Due subscriptions that lose this period, because an earlier call broke off (docs/protocol.md). */
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
