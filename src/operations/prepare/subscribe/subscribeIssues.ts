import type { Address } from 'viem'
import type { MembershipState } from '../../../core/ports/chainReads.ts'
import type { Issue } from '../../../schema/answer.ts'
import { inWords, quantityFact, tokenIssues } from '../answer/preconditions.ts'
import type { SubscribeAllowance } from './subscribeAllowance.ts'

/** Every precondition of subscribing that fails. */
export function subscribeIssues(
  state: MembershipState,
  from: Address,
  allowance: Pick<SubscribeAllowance, 'contractRequired'>,
): Issue[] {
  const { terms, token, wallet } = state
  const issues: Issue[] = [...tokenIssues(token)]
  if (terms.cancelled) {
    issues.push({
      code: 'SUBSCRIPTION_CANCELLED',
      message: 'The provider has cancelled this subscription; that cannot be undone.',
      id: terms.id,
    })
  }
  if (terms.provider === from) {
    issues.push({
      code: 'OWN_SUBSCRIPTION',
      message: `${from} is the provider of this subscription and cannot subscribe to it itself.`,
      provider: terms.provider,
    })
  }
  if (state.isSubscribed) {
    issues.push({
      code: 'ALREADY_SUBSCRIBED',
      message: `${from} is subscribed to this already.`,
      subscriber: from,
    })
  }
  if (state.isPaging) {
    issues.push({
      code: 'SUBSCRIPTION_PAGING',
      message:
        'A remit has stopped in the middle of this subscription; it can be subscribed to after the next remit() ' +
        'has finished the day.',
      id: terms.id,
    })
  }
  if (wallet.balance < allowance.contractRequired) {
    issues.push({
      code: 'INSUFFICIENT_BALANCE',
      message:
        `${from} holds ${inWords(wallet.balance, token)}; subscribing needs one full period of ` +
        `${inWords(allowance.contractRequired, token)} in the wallet, even where less is taken at first.`,
      balance: quantityFact(wallet.balance, token),
      required: quantityFact(allowance.contractRequired, token),
    })
  }
  return issues
}
