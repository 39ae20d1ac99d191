import { INFINITE_ALLOWANCE, neededAllowance } from '@remit/protocol/allowance'
import { dayNumberAt } from '@remit/protocol/calendar'
import type { ChargedSubscription } from '@remit/protocol/coverage/ChargeAmounts'
import { inRemitOrder } from '@remit/protocol/coverage/ChargeSchedule'
import { keptAllowance } from '@remit/protocol/coverage/keptAllowance'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import { isFrequency, type SubscriptionTerms } from '@remit/protocol/subscription'
import { type Address, erc20Abi, maxUint256 } from 'viem'
import { UnsafeTransactionError } from '../errors.ts'
import type { ChainReads, ChainTerms } from './ChainReads.ts'
import type { ExpectedCall } from './ExpectedCall.ts'

/** What has to be approved, worked out from the chain alone. In the token's smallest unit. */
export interface ApprovalRule {
  readonly token: Address
  /** The protocol's contract. */
  readonly spender: Address
  /** What the allowance is. */
  readonly current: bigint
  /** What the allowance has to be; equal to `current` where `current` is enough. */
  readonly amount: bigint
  /** The approvals to send, in order: none, one, or a reset to 0 and then one. */
  readonly calls: readonly ExpectedCall[]
}

/** What a caller asks of an approval. */
export interface ApprovalWish {
  readonly approvalPeriods: number
  readonly infiniteApproval: boolean
  /** Whether the dates of the wallet's other subscriptions are to be kept. */
  readonly keepCoverage?: boolean
  /** In the token's smallest unit: an approval of more is refused. */
  readonly maxApproval?: bigint | undefined
}

/** The reads that the approval depends on. */
type AllowanceReads = Pick<
  ChainReads,
  'allowance' | 'dueList' | 'feeBalances' | 'settings' | 'subscribed' | 'takesApproval'
>

/** Who approves, which contract, and at what time the first charge is taken. */
interface Approving {
  readonly account: Address
  readonly contract: Address
  /** Unix time: its day decides how much of a period the first charge is. */
  readonly timestamp: number
}

/** The service's own limit: 10 years of monthly charges. */
const MOST_PERIODS = 120

/**
 * Works out what an approval for this subscription has to be, by the same rules as the service. An attacker gains most
 * by a false approval, so no part of it comes from an answer.
 * @throws UnsafeTransactionError where the caller's own limit is below the amount
 */
export async function approvalRule(
  reads: AllowanceReads,
  { account, contract: spender, timestamp }: Approving,
  { terms, decimals }: { readonly terms: ChainTerms; readonly decimals: number },
  { approvalPeriods, infiniteApproval, keepCoverage = false, maxApproval }: ApprovalWish,
): Promise<ApprovalRule> {
  assertPeriods(approvalPeriods)
  const { token } = terms
  const subscription = knownTerms(terms)
  const [current, settings, subscribed] = await Promise.all([
    reads.allowance(token, account),
    reads.settings(),
    reads.subscribed(account),
  ])
  const others = subscribed.filter((other) => other.token === token && other.id !== terms.id).map(knownTerms)
  const { callerFee, nextUncheckedDay } = settings
  const split = firstCharge({ terms: subscription, timestamp, callerFee, nextUncheckedDay })
  const common = { decimals, nextUncheckedDay, firstChargeRaw: splitToRaw(split, decimals).total }
  const forPeriods = neededAllowance({ ...common, subscription, others, approvalPeriods })
  const needed = keepCoverage
    ? keptAllowance({
        ...common,
        subscriptions: await charged(reads, account, { subscription, others, filled: split.toFeeBalance }),
        id: terms.id,
        callerFee,
        today: dayNumberAt(timestamp),
        allowance: current,
        least: forPeriods.needed,
      })
    : forPeriods.needed
  return raiseTo(reads, { account, token, spender, current }, { needed, infiniteApproval, maxApproval })
}

/** The service's own limit, too. Throws UnsafeTransactionError. */
export function assertPeriods(approvalPeriods: number): void {
  if (Number.isInteger(approvalPeriods) && approvalPeriods >= 1 && approvalPeriods <= MOST_PERIODS) return
  throw new UnsafeTransactionError(
    `its approvalPeriods are ${approvalPeriods}, and 1 to 120 can be asked for`,
  )
}

/**
 * The approvals that raise an allowance to what is needed. An allowance that is enough is left as it is.
 * @throws UnsafeTransactionError where the caller's own limit is below the amount
 */
export async function raiseTo(
  reads: Pick<ChainReads, 'takesApproval'>,
  { account, ...rule }: Pick<ApprovalRule, 'token' | 'spender' | 'current'> & { readonly account: Address },
  {
    needed,
    infiniteApproval,
    maxApproval,
  }: Pick<ApprovalWish, 'infiniteApproval' | 'maxApproval'> & { readonly needed: bigint },
): Promise<ApprovalRule> {
  const { token, spender, current } = rule
  if (current >= needed || current >= INFINITE_ALLOWANCE) return { ...rule, amount: current, calls: [] }
  const amount = infiniteApproval ? maxUint256 : needed
  if (maxApproval !== undefined && amount > maxApproval) {
    throw new UnsafeTransactionError(
      `it takes an approval of ${amount}, and ${maxApproval} is the most allowed`,
    )
  }
  const raise = approveCall(token, spender, amount)
  // Some tokens refuse to change an allowance that is not 0.
  const needsReset = current > 0n && !(await reads.takesApproval(account, raise))
  return { ...rule, amount, calls: needsReset ? [approveCall(token, spender, 0n), raise] : [raise] }
}

export function approveCall(token: Address, spender: Address, amountRaw: bigint): ExpectedCall {
  return { to: token, abi: erc20Abi, functionName: 'approve', args: [spender, amountRaw] }
}

/** All that remit charges the wallet for in the token once it has subscribed, in remit's order. */
async function charged(
  reads: AllowanceReads,
  account: Address,
  {
    subscription,
    others,
    filled,
  }: {
    readonly subscription: SubscriptionTerms
    readonly others: readonly SubscriptionTerms[]
    /** What subscribing adds to the fee balance. */
    readonly filled: bigint
  },
): Promise<ChargedSubscription[]> {
  const all = [...others, subscription]
  const balances = await reads.feeBalances(
    account,
    all.map(({ id }) => id),
  )
  const rows = all.map((terms, index) => ({
    ...terms,
    feeBalance: (balances[index] ?? 0n) + (terms === subscription ? filled : 0n),
  }))
  // The order matters only among subscriptions that are due on the same day.
  const dueOf = ({ frequency, dueDay }: SubscriptionTerms) => `${frequency} ${dueDay}`
  const shared = new Map(
    all
      .filter((one) => all.some((other) => other !== one && dueOf(other) === dueOf(one)))
      .map((one) => [dueOf(one), one]),
  )
  const lists = await Promise.all([...shared.values()].map((one) => reads.dueList(one)))
  const own = new Set(all.map(({ id }) => id))
  return inRemitOrder(
    rows,
    lists.flat().filter((id) => own.has(id)),
  )
}

/** Terms with the number of their frequency checked. Throws UnsafeTransactionError. */
export function knownTerms(terms: ChainTerms): SubscriptionTerms {
  const { frequency } = terms
  if (!isFrequency(frequency)) throw new UnsafeTransactionError(`the contract has no frequency ${frequency}`)
  return { ...terms, frequency }
}
