import type { Address } from 'viem'
import type { Api, PrepareRevokeAllowanceAnswer } from '../../generated/api.ts'
import type { PermitDefinition } from '../permits/SignedPermit.ts'
import { allowanceConclusion, type FlowRequest } from '../send/FlowDefinition.ts'
import { type ReadinessOf, readinessIn } from './Readiness.ts'

export interface RevokeAllowanceRequest extends FlowRequest {
  readonly token: Address
}

export interface Revoked {
  readonly token: Address
  /** What the protocol may take from now on, in the token's smallest unit; `null` where it could not be read. */
  readonly allowanceRaw: bigint | null
}

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
