import type { Issue } from '../schema/envelope.ts'
import { errorOf, type Fact } from './base.ts'

/** Preconditions on chain fail; `issues` names every one. */
export class NotReadyError extends errorOf(422, 'NOT_READY', 'preconditions on chain fail') {
  constructor(operation: string, issues: readonly Issue[]) {
    const [first] = issues
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
    super(`${first?.message ?? 'A precondition fails.'}${more}`, { issues, facts: { operation } })
  }
}

/** The proof of a prepared batch reverts; `reason` says why as far as it can be decoded. */
export class SimulationFailedError extends errorOf(422, 'SIMULATION_FAILED', 'the simulation reverts') {
  constructor(operation: string, reason: { [name: string]: Fact } & { message: string }) {
    super(`The simulation of ${operation} reverts: ${reason.message}`, { facts: { operation, reason } })
  }
}

/** The issue of a transaction that needs more gas than the chain lets one ask for: it would never be mined. */
export function gasCapIssue(found: {
  /** What the transaction does: "remit". */
  readonly what: string
  readonly gasCap: bigint
  /** `undefined` where it could not be measured. */
  readonly gasNeeded: bigint | undefined
  /** Who can help, as a sentence. */
  readonly wayOut?: string | undefined
  /** Its place in the batch. */
  readonly callIndex?: number
}): Issue & { code: 'TRANSACTION_GAS_CAP' } {
  const { what, gasCap, gasNeeded, wayOut, callIndex } = found
  const needed = gasNeeded === undefined ? 'more than that' : `up to ${gasNeeded}`
  return {
    code: 'TRANSACTION_GAS_CAP',
    message:
      `A transaction of this chain may ask for ${gasCap} gas at most, and ${what} needs ${needed}: ` +
      `it would never be mined.${wayOut === undefined ? '' : ` ${wayOut}`}`,
    gasCap: gasCap.toString(),
    gasNeeded: gasNeeded === undefined ? null : gasNeeded.toString(),
    ...(callIndex === undefined ? {} : { callIndex }),
  }
}

/** The terms of the subscription object in the request are not those on chain. */
export class SubscriptionMismatchError extends errorOf(
  422,
  'SUBSCRIPTION_MISMATCH',
  "the given terms differ from the chain's",
) {
  constructor(issues: readonly Issue[]) {
    super('The subscription given differs from the one on chain.', { issues })
  }
}
