import { UnexpectedAnswerError } from '../../errors/transport.ts'
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

/** The readiness in a prepare's answer. */
export type ReadinessOf<Answer extends { readonly details?: unknown }> = Readiness<
  NonNullable<Answer['details']>
>

/** A prepare's answer to `readinessOnly`. */
interface ReadinessOnly<Details> {
  readonly requestId: string
  readonly operation: string
  readonly ready?: boolean
  readonly issues?: readonly Issue[]
  readonly warnings: readonly Warning[]
  readonly instructions: readonly string[]
  readonly details?: Details
  readonly chainId: number
  readonly asOf: AsOf
}

/** The readiness in a prepare's answer. Throws UnexpectedAnswerError where it has none. */
export async function readinessIn<Details>(
  answer: Promise<ReadinessOnly<Details>>,
): Promise<Readiness<Details>> {
  const { requestId, operation, ready, issues, warnings, instructions, details, chainId, asOf } = await answer
  if (ready === undefined || issues === undefined || details === undefined) {
    throw new UnexpectedAnswerError(
      'The service prepared something where only the readiness was asked for.',
      {
        status: 200,
        requestId,
      },
    )
  }
  return { requestId, operation, ready, issues, warnings, instructions, details, chainId, asOf }
}
