import type { Address, Hex } from 'viem'
import type {
  Api,
  PrepareCreateSubscriptionAnswer,
  PrepareCreateSubscriptionInput,
} from '../../generated/api.ts'
import { MissingEventError } from '../errors.ts'
import { type Conclusion, type FlowDefinition, type FlowRequest, findEvent } from '../send/FlowDefinition.ts'
import { type ReadinessOf, readinessIn } from './Flow.ts'

export type CreateSubscriptionRequest = Readonly<
  Pick<PrepareCreateSubscriptionInput, 'amount' | 'token' | 'details' | 'frequency' | 'dueDay'>
> &
  FlowRequest

export interface Created {
  /** The id that the contract has made: it depends on the block. */
  readonly subscriptionId: Hex
}

/** Publishing a new subscription. */
export function defineCreateSubscription(
  api: Api,
  { amount, token, details, frequency, dueDay, chainId, paymasterUrl }: CreateSubscriptionRequest,
): FlowDefinition<PrepareCreateSubscriptionAnswer, Created, ReadinessOf<PrepareCreateSubscriptionAnswer>> {
  const { url, description } = details
  const asked = { amount, token, details: { url, description }, frequency, dueDay, chainId }
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareCreateSubscription({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareCreateSubscription({ ...asked, from, paymasterUrl }, options),
    conclusion: async ({ account }) => concluding(account),
  }
}

function concluding(account: Address): Conclusion<Created> {
  return {
    conclude({ events }) {
      const created = findEvent(events, 'Created', { provider: account })
      if (created === undefined) throw new MissingEventError('a new subscription', account)
      return { subscriptionId: created.args.id }
    },
  }
}
