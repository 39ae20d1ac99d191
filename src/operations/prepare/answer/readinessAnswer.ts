import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { Attempt } from '../../../core/ports/proof.ts'
import { Issue, Warning } from '../../../schema/answer.ts'
import type { Preparation } from './preparation.ts'

/** What is said beside `ready`. */
export const Unproven = z
  .boolean()
  .describe(
    'true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a warning says which. ' +
      'false: all of them were run, or an issue stands against it.',
  )

/** The answer of every readiness check. */
export function readinessAnswer<Details extends z.ZodObject>(details: Details) {
  return z.object({
    requestId: z.uuid().describe('For support; nothing is stored under it.'),
    operation: z.string(),
    ready: z.boolean(),
    unproven: Unproven,
    issues: z
      .array(Issue)
      .describe(
        'Every precondition that fails; empty where it is ready. Where none does, the calls are run as a prepare runs them: ' +
          'SIMULATION_FAILED says how they revert.',
      ),
    warnings: z.array(Warning),
    instructions: z.array(z.string()).describe('What to do next, step by step.'),
    details,
  })
}

/**
 * A readiness: the next steps where it is ready, else what is wrong. Where no precondition fails, the calls are run, because a
 * token can refuse what nothing else stands against: a prepare and its readiness never disagree.
 */
export async function answerReadiness<Preflight, Details>(
  { chain, requestId }: { readonly chain: ChainView; readonly requestId: string },
  found: Omit<Preparation<Preflight, Details>, 'input' | 'preflight'> & {
    readonly from: Address
    /** The next steps where it is ready. */
    readonly steps: readonly string[]
  },
) {
  const { operation, from, warnings, details, steps, gasWayOut } = found
  const isTried = found.issues.length > 0 || found.isTried === true
  const attempt = isTried
    ? NOTHING_TRIED
    : await chain.attempt({
        operation,
        from,
        batches: found.batches(),
        ...(gasWayOut === undefined ? {} : { gasWayOut }),
      })
  const issues = [...found.issues, ...attempt.issues]
  const ready = issues.length === 0
  return {
    requestId,
    operation,
    ready,
    unproven: attempt.unproven !== undefined,
    issues,
    warnings: [
      ...warnings,
      ...attempt.calls.flatMap(({ warning }) => warning ?? []),
      ...(attempt.unproven === undefined ? [] : [attempt.unproven]),
    ],
    instructions: ready ? [...steps] : issues.map((issue) => issue.message),
    details,
  }
}

const NOTHING_TRIED: Attempt = { issues: [], calls: [], unproven: undefined }
