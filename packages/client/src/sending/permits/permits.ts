import type { PermitToSign } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { createFlow } from '../flows/Flow.ts'
import type { PreparedBatch } from '../send/FlowDefinition.ts'
import { laterFlow } from '../signed/carriedFlow.ts'
import type {
  CarryPermitFlow,
  CarryPermitsFlow,
  CarryPermitsRequest,
  PermitFlow,
  RequestedPermit,
  SignedPermit,
} from './SignedPermit.ts'

export function createPermitFlow<
  Prepared extends PreparedBatch & { readonly permit?: PermitToSign },
  Result,
  Told,
>(sender: Sender, requested: RequestedPermit<Prepared, Result, Told>): PermitFlow<Prepared, Result, Told> {
  return {
    ...createFlow(sender, requested),
    // Few pages sign permits.
    sign: async (wallet, options) =>
      (await import('./signPermit.ts')).signPermit(sender, requested, wallet, options),
  }
}

export function carryPermitFlow(sender: Sender, signed: SignedPermit): CarryPermitFlow {
  return laterFlow(async () => (await import('./carryPermit.ts')).carryPermit(sender, signed))
}

export function carryPermitsFlow(sender: Sender, request: CarryPermitsRequest): CarryPermitsFlow {
  return laterFlow(async () => (await import('./carryPermits.ts')).carryPermits(sender, request))
}
