import { type Address, isAddressEqual } from 'viem'
import type { Api, PrepareExtendCoverageAnswer, PrepareRevokeAllowanceAnswer } from '../../generated/api.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { allowanceConclusion, type FlowRequest } from '../send/FlowDefinition.ts'
import type { PermitDefinition } from '../signed/SignedPermit.ts'
import { type ReadinessOf, readinessIn } from './Flow.ts'

export interface ExtendCoverageRequest extends FlowRequest {
  readonly token: Address
  /** For how many charges by remit the allowance is to last, for each of the subscriptions: 1 to 120. Default 12. */
  readonly approvalPeriods?: number | undefined
  /** Approve without end. */
  readonly infiniteApproval?: boolean | undefined
}

export interface CoverageExtended {
  readonly token: Address
  /** What the protocol may take from now on, in the token's smallest unit; `null` where it could not be read. */
  readonly allowanceRaw: bigint | null
}

/** Those of a year, where it is monthly. */
export const DEFAULT_APPROVAL_PERIODS = 12

/** Approving what the active subscriptions in a token will take. */
export function defineExtendCoverage(
  api: Api,
  { token, chainId, paymasterUrl, ...wish }: ExtendCoverageRequest,
): PermitDefinition<PrepareExtendCoverageAnswer, CoverageExtended, ReadinessOf<PrepareExtendCoverageAnswer>> {
  const { approvalPeriods = DEFAULT_APPROVAL_PERIODS, infiniteApproval = false } = wish
  const asked = { token, chainId, approvalPeriods, infiniteApproval }
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareExtendCoverage({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareExtendCoverage({ ...asked, paymasterUrl, from }, options),
    offer: (from, permitDeadline, options) =>
      api.prepareExtendCoverage({ ...asked, from, permit: true, permitDeadline }, options),
    async conclusion(context, prepared) {
      const { account, reads } = context
      const concluding = allowanceConclusion(token, context)
      if (prepared === undefined) return concluding
      const subscribed = await reads.subscribed(account)
      const terms = subscribed.find((one) => isAddressEqual(one.token, token))
      if (terms === undefined)
        throw new UnsafeTransactionError(`${account} subscribes to nothing in ${token}`)
      // This commits the wallet to nothing new, but what it is committed to must be within the budget: any one of its
      // subscriptions in the token stands for all.
      return { ...concluding, commits: { terms, decimals: await reads.decimals(token) } }
    },
  }
}

export interface RevokeAllowanceRequest extends FlowRequest {
  readonly token: Address
}

export interface Revoked {
  readonly token: Address
  /** What the protocol may take from now on, in the token's smallest unit; `null` where it could not be read. */
  readonly allowanceRaw: bigint | null
}

/** Taking back the allowance of a token. */
export function defineRevokeAllowance(
  api: Api,
  { token, chainId, paymasterUrl }: RevokeAllowanceRequest,
): PermitDefinition<PrepareRevokeAllowanceAnswer, Revoked, ReadinessOf<PrepareRevokeAllowanceAnswer>> {
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareRevokeAllowance({ token, from, chainId, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareRevokeAllowance({ token, from, chainId, paymasterUrl }, options),
    offer: (from, permitDeadline, options) =>
      api.prepareRevokeAllowance({ token, from, chainId, permit: true, permitDeadline }, options),
    conclusion: async (context) => allowanceConclusion(token, context),
  }
}
