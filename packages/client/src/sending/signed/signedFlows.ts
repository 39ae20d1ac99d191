/** The flows with signatures that somebody else carries. What they need is loaded when they are used: few pages sign or carry anything. */

import type { Api } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { createFlow, readinessIn } from '../flows/Flow.ts'
import { laterFlow } from './carriedFlow.ts'
import type {
  CarryPermitFlow,
  CarryPermitsFlow,
  CarryPermitsRequest,
  PermitFlow,
  PreparedPermit,
  RequestedPermit,
  SignedPermit,
} from './SignedPermit.ts'
import {
  balanceConclusion,
  type CarryTopUpFlow,
  type RequestedTopUp,
  type SignedTopUp,
  type TopUpDefinition,
  type TopUpFlow,
  type TopUpRequest,
} from './SignedTopUp.ts'

export function createPermitFlow<Prepared extends PreparedPermit, Result, Told>(
  sender: Sender,
  requested: RequestedPermit<Prepared, Result, Told>,
): PermitFlow<Prepared, Result, Told> {
  return {
    ...createFlow(sender, requested),
    sign: async (wallet, options) =>
      (await import('./sign.ts')).signPermit(sender, requested, wallet, options),
  }
}

export function carryPermitFlow(sender: Sender, signed: SignedPermit): CarryPermitFlow {
  return laterFlow(async () => (await import('./carry.ts')).carryPermit(sender, signed))
}

export function carryPermitsFlow(sender: Sender, request: CarryPermitsRequest): CarryPermitsFlow {
  return laterFlow(async () => (await import('./carryPermits.ts')).carryPermits(sender, request))
}

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
      (await import('./sign.ts')).signTopUp(sender, requested, wallet, options),
  }
}

export function carryTopUpFlow(sender: Sender, signed: SignedTopUp): CarryTopUpFlow {
  return laterFlow(async () => (await import('./carry.ts')).carryTopUp(sender, signed))
}
