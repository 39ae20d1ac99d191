import type { Api } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { createFlow } from '../flows/Flow.ts'
import { readinessIn } from '../flows/Readiness.ts'
import { laterFlow } from '../signed/carriedFlow.ts'
import { balanceConclusion } from './balanceConclusion.ts'
import type {
  CarryTopUpFlow,
  RequestedTopUp,
  SignedTopUp,
  TopUpDefinition,
  TopUpFlow,
  TopUpRequest,
} from './SignedTopUp.ts'

export function defineTopUp(
  api: Api,
  { account, token, value, chainId, paymasterUrl }: TopUpRequest,
): TopUpDefinition {
  const asked = { account, token, value: BigInt(value), chainId }
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareTopUp({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareTopUp({ ...asked, from, paymasterUrl }, options),
    offer: (from, validBefore, options) =>
      api.prepareTopUp({ ...asked, from, authorization: true, validBefore }, options),
    conclusion: async (context) => balanceConclusion({ token, account }, context),
  }
}

export function topUpFlow(sender: Sender, requested: RequestedTopUp): TopUpFlow {
  return {
    ...createFlow(sender, requested),
    sign: async (wallet, options) =>
      (await import('./signTopUp.ts')).signTopUp(sender, requested, wallet, options),
  }
}

export function carryTopUpFlow(sender: Sender, signed: SignedTopUp): CarryTopUpFlow {
  return laterFlow(async () => (await import('./carryTopUp.ts')).carryTopUp(sender, signed))
}
