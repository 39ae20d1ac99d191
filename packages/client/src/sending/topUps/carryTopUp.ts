import { authorizationAbi } from '@remit/protocol/signed/tokenAbis'
import type { Api, PrepareCarryTopUpAnswer } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { type ReadinessOf, readinessIn } from '../flows/Readiness.ts'
import type { FlowDefinition } from '../send/FlowDefinition.ts'
import { carriedFlow } from '../signed/carriedFlow.ts'
import { balanceConclusion } from './balanceConclusion.ts'
import type { CarryTopUpFlow, SignedTopUp, ToppedUp } from './SignedTopUp.ts'

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
