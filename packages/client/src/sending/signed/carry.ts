/** The flows that carry one signed permit, or one signed transfer. They are loaded when they are used (`signedFlows.ts`). */

import { authorizationAbi, permitAbi } from '@remit/protocol/signed/tokenAbis'
import type { Api, PrepareCarryPermitAnswer, PrepareCarryTopUpAnswer } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { type ReadinessOf, readinessIn } from '../flows/Flow.ts'
import type { FlowDefinition, RequestedFlow } from '../send/FlowDefinition.ts'
import { carriedFlow } from './carriedFlow.ts'
import type { CarryPermitFlow, PermitCarried, SignedPermit } from './SignedPermit.ts'
import { balanceConclusion, type CarryTopUpFlow, type SignedTopUp, type ToppedUp } from './SignedTopUp.ts'

/** A signed permit as the operation takes it. */
export function carryInput({ value, ...signed }: SignedPermit) {
  return { ...signed, ...(value !== undefined && { value: BigInt(value) }) }
}

/** The flow that carries it, for `carriedFlow`, and for the keeper, which only prepares it. */
export function requestedCarry(
  signed: SignedPermit,
): RequestedFlow<PrepareCarryPermitAnswer, PermitCarried, ReadinessOf<PrepareCarryPermitAnswer>> {
  return { chainId: signed.chainId, on: (api) => defineCarryPermit(api, signed) }
}

function defineCarryPermit(
  api: Api,
  signed: SignedPermit,
): FlowDefinition<PrepareCarryPermitAnswer, PermitCarried, ReadinessOf<PrepareCarryPermitAnswer>> {
  const { token, owner } = signed
  const asked = carryInput(signed)
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareCarryPermit({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareCarryPermit({ ...asked, from }, options),
    abi: permitAbi,
    isDone: ({ preflight }) => preflight?.alreadyCarried === true,
    conclusion: async ({ reads }) => ({
      conclude: async () => ({
        token,
        owner,
        allowanceRaw: await reads.allowance(token, owner).catch(() => null),
      }),
    }),
  }
}

export function carryPermit(sender: Sender, signed: SignedPermit): CarryPermitFlow {
  return carriedFlow(sender, requestedCarry(signed))
}

/** A signed transfer as the operation takes it. */
export function carryTopUpInput({ value, ...signed }: SignedTopUp) {
  return { ...signed, value: BigInt(value) }
}

function defineCarryTopUp(
  api: Api,
  signed: SignedTopUp,
): FlowDefinition<PrepareCarryTopUpAnswer, ToppedUp, ReadinessOf<PrepareCarryTopUpAnswer>> {
  const asked = carryTopUpInput(signed)
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareCarryTopUp({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareCarryTopUp({ ...asked, from }, options),
    abi: authorizationAbi,
    isDone: ({ preflight }) => preflight?.alreadyUsed === true,
    conclusion: async (context) => balanceConclusion(signed, context),
  }
}

export function carryTopUp(sender: Sender, signed: SignedTopUp): CarryTopUpFlow {
  return carriedFlow(sender, { chainId: signed.chainId, on: (api) => defineCarryTopUp(api, signed) })
}
