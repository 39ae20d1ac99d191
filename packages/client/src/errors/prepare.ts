import { isRecord } from '../call/isRecord.ts'
import { RemitError, type RemitErrorDetails } from './RemitError.ts'

/** Preconditions on chain fail; `issues` names every one. */
export class NotReadyError extends RemitError {}

/** The given terms of a subscription are not the chain's; `issues` shows both. */
export class SubscriptionMismatchError extends RemitError {}

/** Why a simulation reverts, as far as it could be decoded. */
export interface RevertReason {
  /** The contract's own revert text, "0" to "25". */
  readonly protocolCode: string | undefined
  readonly name: string
  readonly message: string
  /** What the contract or the token reverted with, where it could not be decoded. */
  readonly data: string | undefined
}

/** The transactions were simulated on the chain's state, and revert. */
export class SimulationFailedError extends RemitError {
  readonly reason: RevertReason

  constructor(message: string, details: RemitErrorDetails) {
    super(message, details)
    const reason = isRecord(details.facts.reason) ? details.facts.reason : {}
    this.reason = {
      protocolCode: textOf(reason.protocolCode),
      name: textOf(reason.name) ?? 'UNKNOWN',
      message: textOf(reason.message) ?? message,
      data: textOf(reason.data),
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
