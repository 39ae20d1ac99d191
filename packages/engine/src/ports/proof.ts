import type { Address, Hex } from 'viem'
import type { Issue, Warning } from '../schema/envelope.ts'
import type { GasEstimate, GasSummary, Simulation } from '../schema/transaction.ts'

// A prepare hands the calls that it planned to `view.prove`, which simulates them on top of the view's block
// (`proof/prover.ts`): what goes in, and what comes back.

/** One contract call of a batch that a wallet will sign. */
export interface PlannedCall {
  readonly to: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** What signing it does, as a step for a person or an agent. */
  readonly instruction: string
  /** What to mind where the batch holds this call. */
  readonly warning?: Warning
}

/** What is to be proven. */
export interface PreparePlan {
  /** Named in errors and instructions. */
  readonly operation: string
  readonly from: Address
  /**
   * Alternative batches, the shortest first. They are proven side by side, and the first that succeeds is the answer.
   */
  readonly batches: readonly (readonly PlannedCall[])[]
  /**
   * Gas is estimated from this address, too. For wallets that broadcast from another address than the signer. A limit is
   * never below what the proof from `from` needs.
   */
  readonly simulateFromAddress?: Address
  /** The signer's balance in wei, to warn where it does not pay for the gas. */
  readonly nativeBalance: bigint
  /** Who can help where a transaction needs more gas than it may have, as a sentence. */
  readonly gasWayOut?: string
  /** How many transactions the whole backlog takes. Left out where it is this one alone. */
  readonly backlogMultiplier?: number
}

/** A batch that was seen to succeed on top of the view's block, and what it did there. */
export interface Proof {
  readonly calls: readonly PlannedCall[]
  readonly simulation: Simulation
  /** One for each call, in order. */
  readonly gasEstimates: GasEstimate[]
  readonly gasSummary: GasSummary
  readonly warnings: readonly Warning[]
}

/** Whether a batch of a plan works on top of the view's block. */
export interface ProofAttempt {
  /** Why none does: with these, proving the plan is refused. Empty where one works. */
  readonly issues: readonly Issue[]
  /** The batch that would be the answer; empty where none works. */
  readonly calls: readonly PlannedCall[]
  /** Says what the node could not run as one state; `undefined` where it ran all of it. */
  readonly unproven: Warning | undefined
}
