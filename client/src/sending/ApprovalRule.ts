import { type Address, decodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import type { ChainReads, ChainTerms } from './ChainReads.ts'
import { toRaw } from './ChainReads.ts'
import { type ExpectedCall, encodeCall } from './ExpectedCall.ts'
import { UnsafeTransactionError } from './errors.ts'
import { type KeptBoundInput, keptBound } from './keptBound.ts'
import { daysWith, mostDueDays } from './periodLengths.ts'

/** What may be approved before a subscribe, in the token's smallest unit. */
export interface ApprovalRule {
  readonly token: Address
  /** The protocol's contract. */
  readonly spender: Address
  /** What the allowance is. Approving less would take from the wallet's other subscriptions. */
  readonly current: bigint
  /** What this subscription alone needs: with less, a remit within its periods would drop the subscriber. */
  readonly least: bigint
  readonly most: bigint
  /** Whether an allowance without end was asked for. */
  readonly infinite: boolean
}

/** What a caller says of an approval. */
export interface ApprovalWish {
  readonly approvalPeriods: number
  readonly infiniteApproval: boolean
  /** Whether the dates of the wallet's other subscriptions are to be kept. */
  readonly keepCoverage?: boolean
  /** In the token's smallest unit; takes the place of the bound that is worked out here. */
  readonly maxApproval?: bigint | undefined
}

/** The part of the chain that decides it. */
type AllowanceReads = Pick<ChainReads, 'allowance' | 'subscribed'>

/** Reads on the chain what an approval for this subscription can be. */
export async function approvalRule(
  reads: AllowanceReads,
  account: Address,
  contract: Address,
  { terms, decimals }: { readonly terms: ChainTerms; readonly decimals: number },
  wish: ApprovalWish,
): Promise<ApprovalRule> {
  const { approvalPeriods, infiniteApproval, maxApproval } = wish
  const current = await reads.allowance(terms.token, account)
  const most =
    maxApproval ?? (await explicable(reads, account, { terms, decimals, allowance: current }, wish))
  return {
    token: terms.token,
    spender: contract,
    current,
    least: atMostUint256(BigInt(approvalPeriods) * toRaw(terms.amount, decimals)),
    most: infiniteApproval && maxApproval === undefined ? maxUint256 : atMostUint256(most),
    infinite: infiniteApproval,
  }
}

/**
 * The most that an honest service could propose: the first charge and the periods asked for, and beside them every
 * due day that the wallet's other subscriptions in the token can have until the last of those periods; or what
 * keeps the dates of the others, where that is asked for and is more.
 *
 * The proposal itself comes from the service, which could ask for anything; this bound comes from the chain.
 */
async function explicable(
  reads: AllowanceReads,
  account: Address,
  subscription: Omit<KeptBoundInput, 'others'>,
  { approvalPeriods: periods, keepCoverage = false }: ApprovalWish,
): Promise<bigint> {
  const { terms, decimals } = subscription
  const horizonDays = daysWith(terms.frequency, periods)
  const others = (await reads.subscribed(account)).filter(
    ({ id, token }) => id !== terms.id && token === terms.token,
  )
  const forPeriods = others.reduce(
    (sum, other) => sum + mostDueDays(other.frequency, horizonDays) * toRaw(other.amount, decimals),
    BigInt(periods + 1) * toRaw(terms.amount, decimals),
  )
  const kept = keepCoverage ? keptBound({ ...subscription, others }) : 0n
  if (kept > forPeriods) return kept
  return forPeriods
}

/** The amount of an approval that keeps to the rule. Throws UnsafeTransactionError. */
export function checkApproval(
  rule: ApprovalRule,
  { to, data }: { readonly to: string; readonly data: string },
  { index, proposed }: { readonly index: number; readonly proposed: bigint },
): bigint {
  const { token, spender, current, least, most, infinite } = rule
  const refuse = (problem: string) => new UnsafeTransactionError(problem, index)
  if (to.toLowerCase() !== token.toLowerCase()) {
    throw refuse(`it goes to ${to} and not to the subscription's token ${token}`)
  }
  const [given, amount] = decodeApproval(data) ?? []
  if (given === undefined || amount === undefined) throw refuse('its calldata is not a call of approve')
  if (given.toLowerCase() !== spender.toLowerCase()) {
    throw refuse(`it approves ${given} and not the protocol's contract ${spender}`)
  }
  if (encodeCall(approveCall(token, spender, amount)) !== data.toLowerCase()) {
    throw refuse('its calldata has bytes that do not belong to approve')
  }
  if (amount === maxUint256 && !infinite) throw refuse('it approves without end, which was not asked for')
  if (amount > proposed) throw refuse(`it approves ${amount}, and the answer proposes ${proposed}`)
  if (amount > most)
    throw refuse(`it approves ${amount}, and ${most} is the most that can be needed or was allowed`)
  if (amount < current) throw refuse(`it lowers the allowance from ${current} to ${amount}`)
  if (amount < least) throw refuse(`it approves ${amount}, and the periods asked for take ${least}`)
  return amount
}

export function approveCall(token: Address, spender: Address, amountRaw: bigint): ExpectedCall {
  return { to: token, abi: erc20Abi, functionName: 'approve', args: [spender, amountRaw] }
}

function decodeApproval(data: string): readonly [spender: Address, amount: bigint] | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: `0x${data.slice(2)}` })
    return functionName === 'approve' ? args : undefined
  } catch {
    return undefined
  }
}

function atMostUint256(value: bigint): bigint {
  return value > maxUint256 ? maxUint256 : value
}
