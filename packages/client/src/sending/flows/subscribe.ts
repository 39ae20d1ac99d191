import { toRaw } from '@remit/protocol/amounts'
import type { Address, Hex } from 'viem'
import type {
  Api,
  CheckSubscribeReadinessByIdAnswer,
  PrepareSubscribeByIdAnswer,
  Quantity,
} from '../../generated/api.ts'
import { type AgreedTerms, type KnownSubscription, readSubscription, toQuantity } from '../ChainReads.ts'
import { MissingEventError } from '../errors.ts'
import { type Conclusion, type FlowRequest, findEvent } from '../send/FlowDefinition.ts'
import type { PermitDefinition } from '../signed/SignedPermit.ts'
import { DEFAULT_APPROVAL_PERIODS } from './allowance.ts'

export interface SubscribeRequest extends FlowRequest {
  readonly id: Hex
  /** For how many charges by remit the allowance is to last: 1 to 120. Default 12. */
  readonly approvalPeriods?: number | undefined
  /** Approve without end. */
  readonly infiniteApproval?: boolean | undefined
  /**
   * Approve as much as leaves the wallet's other subscriptions in the token the dates until which the allowance
   * pays for them now. Not together with `infiniteApproval`.
   */
  readonly keepCoverage?: boolean | undefined
  /** The terms that the subscriber agreed to. Nothing is signed where the chain has others. */
  readonly terms?: AgreedTerms | undefined
}

export interface Subscribed {
  readonly subscriptionId: Hex
  /** What subscribing has taken at once, and where it went. */
  readonly firstCharge: { readonly toFeeBalance: Quantity; readonly toProvider: Quantity }
}

/** Subscribing, with an approval before it where one is needed. */
export function defineSubscribe(
  api: Api,
  { id, chainId, paymasterUrl, terms: agreed, ...wish }: SubscribeRequest,
): PermitDefinition<PrepareSubscribeByIdAnswer, Subscribed, CheckSubscribeReadinessByIdAnswer> {
  const { approvalPeriods = DEFAULT_APPROVAL_PERIODS, infiniteApproval = false, keepCoverage = false } = wish
  const asked = { id, chainId, approvalPeriods, infiniteApproval, keepCoverage }
  return {
    readiness: (from, options) => api.checkSubscribeReadinessById({ ...asked, from }, options),
    prepare: (from, options) => api.prepareSubscribeById({ ...asked, paymasterUrl, from }, options),
    offer: (from, permitDeadline, options) =>
      api.prepareSubscribeById({ ...asked, from, permit: true, permitDeadline }, options),
    conclusion: async ({ account, reads }) => concluding(await readSubscription(reads, id, agreed), account),
  }
}

function concluding(known: KnownSubscription, account: Address): Conclusion<Subscribed> {
  const { terms, decimals } = known
  const { id, token } = terms
  return {
    commits: known,
    decimals: new Map([[token, decimals]]),
    conclude({ events }) {
      const own = { id, subscriber: account }
      if (findEvent(events, 'Subscribed', own) === undefined) {
        throw new MissingEventError(`subscribing to ${id}`, account)
      }
      const moved = (name: 'FeeFilled' | 'ProviderPaid') =>
        toQuantity(toRaw(findEvent(events, name, own)?.args.amount ?? 0n, decimals), decimals)
      return {
        subscriptionId: id,
        firstCharge: { toFeeBalance: moved('FeeFilled'), toProvider: moved('ProviderPaid') },
      }
    },
  }
}
