import * as z from 'zod'
import type { JsonObject as AnyJsonObject } from './json.ts'

/** Examples come out of a JSON file, so that all below is JSON; to look at each value would take a second. */
const JsonObject = z.custom<AnyJsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const AnswerExample = z.object({
  name: z.string(),
  summary: z.string(),
  /** What was sent, by where it travels. */
  request: z.object({ path: JsonObject, query: JsonObject, body: JsonObject.optional() }),
  status: z.int(),
  body: JsonObject,
})

const ErrorExample = z.object({ code: z.string(), status: z.int(), summary: z.string(), body: JsonObject })

const SharedErrorExample = ErrorExample.extend({
  name: z.string(),
  /** Whose routes answer so, where others say it otherwise. */
  audience: z.enum(['operators']).optional(),
})

/**
 * What the service really answered, recorded by `npm run openapi:record`: the answers and the own errors of each
 * operation by its name, the errors that any of them may answer, and headers by their names.
 */
export const Examples = z.object({
  operations: z.record(
    z.string(),
    z.object({ answers: z.array(AnswerExample), errors: z.array(ErrorExample) }),
  ),
  errors: z.array(SharedErrorExample),
  headers: z.record(z.string(), z.string()),
})

export type Examples = z.output<typeof Examples>
export type AnswerExample = z.output<typeof AnswerExample>
export type ErrorExample = z.output<typeof ErrorExample>
export type SharedErrorExample = z.output<typeof SharedErrorExample>
