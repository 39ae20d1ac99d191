import type { Address } from 'viem'
import type { PlannedCall } from '../../../core/ports/proof.ts'
import type { Issue, Warning } from '../../../schema/answer.ts'

/** What an operation found for its request, before anything is encoded or proven. */
export interface Preparation<Preflight, Details> {
  /** The contract's action, for people: "subscribe", "remit". */
  readonly operation: string
  readonly input: {
    readonly from: Address
    readonly readinessOnly?: boolean | undefined
    readonly simulateFromAddress?: Address | undefined
  }
  /** Every precondition that fails. The simulation alone would only say "13" or "23". */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Warning[]
  /** Alternative batches, the shortest first. Called only where no precondition fails. */
  readonly batches: () => readonly (readonly PlannedCall[])[]
  /** Whether these calls were run already to find all this: then a readiness does not run them again. */
  readonly isTried?: boolean
  readonly nativeBalance: bigint
  readonly backlogMultiplier?: number
  /** A sentence that says who can help where a transaction needs more gas than the chain allows. */
  readonly gasWayOut?: string
  readonly preflight: Preflight
  readonly details: Details
}

/** The same without the input: a readiness check answers it too. */
export type Findings<Preflight, Details> = Omit<Preparation<Preflight, Details>, 'input'>
