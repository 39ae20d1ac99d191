import { PROTOCOL_DECIMALS } from '@remit/protocol/amounts'
import type { Address, Hex } from 'viem'
import { subscriptionsAbi } from '../../generated/abi.ts'
import type {
  Api,
  PrepareCreateSubscriptionAnswer,
  PrepareCreateSubscriptionInput,
} from '../../generated/api.ts'
import { toSmallest } from '../chain/readSubscription.ts'
import { MissingEventError } from '../errors.ts'
import { type Conclusion, type FlowDefinition, findEvent } from '../send/FlowDefinition.ts'
import { type ReadinessOf, readinessIn } from './Readiness.ts'

export type CreateSubscriptionRequest = Readonly<
  Pick<PrepareCreateSubscriptionInput, 'amount' | 'token' | 'details' | 'frequency' | 'dueDay' | 'chainId'>
>

export interface Created {
  /** The id that the contract has made: it depends on the block. */
  readonly subscriptionId: Hex
}

export function defineCreateSubscription(
  api: Api,
  { amount, token, details, frequency, dueDay, chainId }: CreateSubscriptionRequest,
): FlowDefinition<PrepareCreateSubscriptionAnswer, Created, ReadinessOf<PrepareCreateSubscriptionAnswer>> {
  const { url, description } = details
  return {
    readiness: (from, options) =>
      readinessIn(
        api.prepareCreateSubscription(
          {
            amount,
            token,
            details: { url, description },
            frequency,
            dueDay,
            from,
            chainId,
            readinessOnly: true,
          },
          options,
        ),
      ),
    prepare: (from, options) =>
      api.prepareCreateSubscription(
        { amount, token, details: { url, description }, frequency, dueDay, from, chainId },
        options,
      ),
    async expect({ account, contract, reads }) {
      const decimals = await reads.decimals(token)
      // Refuses what the token cannot express; the contract keeps every amount with 18 decimals.
      toSmallest(amount, decimals)
      const args = [toSmallest(amount, PROTOCOL_DECIMALS), token, { url, description }, frequency, dueDay]
      return {
        call: { to: contract, abi: subscriptionsAbi, functionName: 'createSubscription', args },
        decimals: new Map<Address, number>([[token, decimals]]),
        ...concluding(account),
      }
    },
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
