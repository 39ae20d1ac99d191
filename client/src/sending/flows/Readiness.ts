import type { AsOf, Issue, Warning } from '../../generated/api.ts'

/** Whether something can be done now, and what stands against it. */
export interface Readiness<Details> {
  readonly requestId: string
  readonly operation: string
  readonly ready: boolean
  /** Every precondition that fails; empty where it is ready. */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Warning[]
  readonly instructions: readonly string[]
  readonly details: Details
  readonly chainId: number
  readonly asOf: AsOf
}
