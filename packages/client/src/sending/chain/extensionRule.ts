import { extendedAllowance } from '@remit/protocol/allowance'
import { type Address, isAddressEqual } from 'viem'
import { UnsafeTransactionError } from '../errors.ts'
import { type ApprovalRule, type ApprovalWish, assertPeriods, knownTerms, raiseTo } from './ApprovalRule.ts'
import type { ChainReads } from './ChainReads.ts'
import type { KnownSubscription } from './readSubscription.ts'

/** What extending the coverage of a token approves, and one of the subscriptions that it is for. */
interface ExtensionRule extends ApprovalRule {
  readonly commits: KnownSubscription
}

/**
 * Works out, from the chain alone, the approval with which each of the wallet's subscriptions in a token is paid for so
 * many charges.
 * @throws UnsafeTransactionError where nothing has to be approved, and where the caller's own limit is below the amount
 */
export async function extensionRule(
  reads: Pick<ChainReads, 'allowance' | 'decimals' | 'settings' | 'subscribed' | 'takesApproval'>,
  { account, contract: spender, token }: { account: Address; contract: Address; token: Address },
  { approvalPeriods, infiniteApproval, maxApproval }: Omit<ApprovalWish, 'keepCoverage'>,
): Promise<ExtensionRule> {
  assertPeriods(approvalPeriods)
  const [current, decimals, { nextUncheckedDay }, subscribed] = await Promise.all([
    reads.allowance(token, account),
    reads.decimals(token),
    reads.settings(),
    reads.subscribed(account),
  ])
  const charged = subscribed.filter((one) => isAddressEqual(one.token, token))
  const subscriptions = charged.map(knownTerms)
  const extended = extendedAllowance({ subscriptions, decimals, approvalPeriods, nextUncheckedDay })
  const [first] = charged
  if (extended === undefined || first === undefined) {
    throw new UnsafeTransactionError(
      `${account} subscribes to nothing in ${token}, so nothing is to be approved`,
    )
  }
  const { needed } = extended
  const rule = await raiseTo(
    reads,
    { account, token, spender, current },
    { needed, infiniteApproval, maxApproval },
  )
  if (rule.calls.length === 0) {
    throw new UnsafeTransactionError(
      `the allowance is ${current} already, and so many charges take ${needed}`,
    )
  }
  return { ...rule, commits: { terms: first, decimals } }
}
