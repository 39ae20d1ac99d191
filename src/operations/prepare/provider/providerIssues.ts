import type { Address } from 'viem'
import type { SubscriptionTerms } from '../../../protocol/subscription.ts'
import type { Issue } from '../../../schema/answer.ts'

/** Every precondition of cancelling that fails. A paused token is none: a provider can always end it. */
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

/** Nobody but the provider can do it. Of some calls the contract would take a stranger's too, and do nothing. */
export function providerIssues({ id, provider }: SubscriptionTerms, from: Address, what: string): Issue[] {
  if (provider === from) return []
  const message = `Only the provider ${provider} of this subscription ${what}; \`from\` is ${from}.`
  return [{ code: 'NOT_PROVIDER', message, id, provider, from }]
}
