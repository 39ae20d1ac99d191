import type { Issue } from '../schema/answer.ts'
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

/** The object form's terms are not the chain's. */
export class SubscriptionMismatchError extends errorOf(
  422,
  'SUBSCRIPTION_MISMATCH',
  "the given terms differ from the chain's",
) {
  constructor(issues: readonly Issue[]) {
    super('The subscription given differs from the one on chain.', { issues })
  }
}
