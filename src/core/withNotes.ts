import * as z from 'zod'
import { AsOf, Warning } from '../schema/answer.ts'

/** What any answer may hold beside its own facts. */
const Notes = z.object({
  warnings: z.array(Warning).optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  chainId: z.number().optional().catch(undefined),
  asOf: AsOf.optional().catch(undefined),
})

/** Words about an answer, with its warnings, what failed, and the block that it was read at. */
export function withNotes(words: string, body: Record<string, unknown>): string {
  const { warnings = [], error, chainId, asOf } = Notes.parse(body)
  return [
    words,
    ...warnings.map(({ code, message }) => `Warning ${code}: ${message}`),
    ...(error === undefined ? [] : [`Incomplete: ${error}`]),
    ...(asOf === undefined ? [] : [`Read on chain ${chainId} at block ${asOf.blockNumber}.`]),
  ].join('\n')
}
