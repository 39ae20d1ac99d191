import type { Address } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import type { Api, PrepareTopUpAnswer } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { createFlow } from '../flows/Flow.ts'
import { type ReadinessOf, readinessIn } from '../flows/Readiness.ts'
import type { Conclusion, FlowDefinition, RequestedFlow, SentContext } from '../send/FlowDefinition.ts'
import { laterFlow } from '../signed/carriedFlow.ts'
import type { CarryTopUpFlow, SignedTopUp, ToppedUp, TopUpFlow, TopUpRequest } from './SignedTopUp.ts'

/** The definition of a top-up, which can be signed for as well. */
export interface TopUpDefinition
  extends FlowDefinition<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  /** What is to be signed in place of being sent. */
  offer(from: Address, validBefore: number | undefined, options: CallOptions): Promise<PrepareTopUpAnswer>
}

export interface RequestedTopUp
  extends RequestedFlow<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  on(api: Api, chainId: number | undefined): TopUpDefinition
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

/** Of a flow that gives somebody money. */
export function balanceConclusion(
  { token, account }: { readonly token: Address; readonly account: Address },
  { reads }: Pick<SentContext, 'reads'>,
): Conclusion<ToppedUp> {
  return {
    conclude: async () => ({
      token,
      account,
      balanceRaw: await reads.balance(token, account).catch(() => null),
    }),
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
