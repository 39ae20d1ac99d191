import * as z from 'zod'
import { Issue, Warning } from '../../../schema/answer.ts'

/** The answer of every readiness check. */
export function readinessAnswer<Details extends z.ZodObject>(details: Details) {
  return z.object({
    requestId: z.uuid().describe('For support; nothing is stored under it.'),
    operation: z.string(),
    ready: z.boolean(),
    issues: z.array(Issue).describe('Every precondition that fails; empty where it is ready.'),
    warnings: z.array(Warning),
    instructions: z.array(z.string()).describe('What to do next, step by step.'),
    details,
  })
}

/** A readiness: the next steps where it is ready, else what is wrong. */
export function answerReadiness<Details>(
  requestId: string,
  found: {
    readonly operation: string
    readonly issues: readonly Issue[]
    readonly warnings: readonly Warning[]
    readonly details: Details
    /** The next steps where it is ready. */
    readonly steps: readonly string[]
  },
) {
  const { operation, issues, warnings, details, steps } = found
  const ready = issues.length === 0
  return {
    requestId,
    operation,
    ready,
    issues: [...issues],
    warnings: [...warnings],
    instructions: ready ? [...steps] : issues.map((issue) => issue.message),
    details,
  }
}
