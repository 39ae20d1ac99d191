import * as z from 'zod'
import recorded from './generated/examples.json' with { type: 'json' }
import type { JsonObject as AnyJsonObject } from './SchemaBook.ts'

/** Examples come from a JSON file, so only the outermost type is checked: to check each value takes a second. */
const JsonObject = z.custom<AnyJsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const AnswerExample = z.object({
  name: z.string(),
  summary: z.string(),
  /** What was sent in the path, the query and the body. */
  request: z.object({ path: JsonObject, query: JsonObject, body: JsonObject.optional() }),
  status: z.int(),
  body: JsonObject,
})

const ErrorExample = z.object({ code: z.string(), status: z.int(), summary: z.string(), body: JsonObject })

const SharedErrorExample = ErrorExample.extend({
  name: z.string(),
  /** The routes that this example is for; without it, all others. The same error reads differently for operators. */
  audience: z.enum(['operators']).optional(),
})

/**
 * Recorded answers of the service (`npm run examples -w @remit/testing`): the answers and errors of each operation by its name, the
 * errors that every operation may answer, headers by their names, and an event of each type.
 */
export const Examples = z.object({
  operations: z.record(
    z.string(),
    z.object({ answers: z.array(AnswerExample), errors: z.array(ErrorExample) }),
  ),
  errors: z.array(SharedErrorExample),
  headers: z.record(z.string(), z.string()),
  events: z.record(z.string(), JsonObject),
})

export type Examples = z.output<typeof Examples>
export type AnswerExample = z.output<typeof AnswerExample>
export type ErrorExample = z.output<typeof ErrorExample>
export type SharedErrorExample = z.output<typeof SharedErrorExample>

/** The committed examples. `npm run examples -w @remit/testing` writes them, and a test compares them. */
export function recordedExamples(): Examples {
  return Examples.parse(recorded)
}
