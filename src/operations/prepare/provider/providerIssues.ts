import type { Address } from 'viem'
import type { SubscriptionTerms } from '../../../protocol/subscription.ts'
import type { Issue } from '../../../schema/answer.ts'

/** Every precondition of cancelling that fails. A provider can cancel even where the token is paused. */
export function cancelIssues(terms: SubscriptionTerms, from: Address): Issue[] {
  const issues = providerIssues(terms, from, 'can cancel it')
  if (terms.cancelled) {
    issues.push({
      code: 'ALREADY_CANCELLED',
      message: 'This subscription is cancelled already; that cannot be done twice.',
      id: terms.id,
    })
  }
  return issues
}

/** Fails for everybody but the provider. For some calls the contract would accept a stranger and do nothing. */
export function providerIssues({ id, provider }: SubscriptionTerms, from: Address, what: string): Issue[] {
  if (provider === from) return []
  const message = `Only the provider ${provider} of this subscription ${what}; \`from\` is ${from}.`
  return [{ code: 'NOT_PROVIDER', message, id, provider, from }]
}
