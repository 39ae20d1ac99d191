import * as z from 'zod'
import type { Operation } from '../../../calls/serviceOperation.ts'
import { type JsonSchema, SchemaOutline } from './SchemaOutline.ts'

/** How many rows a tool's page has when nobody says: a model reads every one. */
export const TOOL_PAGE = 5

/**
 * How many objects deep an answer's fields are named: its own, and not those of its rows, which the first answer shows.
 * OpenAPI has all of them.
 */
const OUTPUT_DEPTH = 1

/** What holds without being read: a value that does not fit is refused by name. */
const INPUT_NOISE = ['pattern', 'minLength', 'maxLength']

/** Left out of answers' schemas: OpenAPI has the descriptions, and every answer keeps the bounds. */
const OUTPUT_NOISE = [
  ...INPUT_NOISE,
  'description',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'maxItems',
  'additionalProperties',
  'required',
]

/** What many answers hold, and the server's instructions explain. */
const FAMILIAR = ['AsOf', 'IndexPosition', 'Warning', 'Token', 'Quantity', 'Day']

/** Whether a tool answers a page whose length the caller may choose. */
export function isPaged({ input }: Operation): boolean {
  return 'first' in input.shape
}

/** What means the same for every tool that takes it: the server's instructions explain it once. */
const FAMILIAR_FIELDS = new Set(['readinessOnly', 'simulateFromAddress', 'skip', 'after', 'untilBlock'])

const ObjectSchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).optional(),
})

/** What a tool takes, in as few words as a model can work with. */
export function toolInputSchema(operation: Operation): JsonSchema {
  const { properties = {}, ...own } = ObjectSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    // A field that takes one value only leaves a model nothing to choose.
    if ('const' in field) return []
    const { description, ...bare } = field
    if (FAMILIAR_FIELDS.has(name)) return [[name, bare]]
    return [[name, name === 'first' ? { ...bare, description: `Rows. Default ${TOOL_PAGE}.` } : field]]
  })
  const minBlock = operation.onChain ? { minBlock: { type: 'integer' } } : {}
  const all = { ...Object.fromEntries(fields), chainId: { type: ['integer', 'string'] }, ...minBlock }
  const options = { dropped: INPUT_NOISE, depth: Number.POSITIVE_INFINITY }
  return SchemaOutline.of({ ...own, properties: all }, options)
}

/** What every answer about a chain has beside its own fields. The server's instructions explain it once. */
const ENVELOPE = new Set(['chainId', 'asOf', 'index', 'warnings'])

/** What a tool answers: the names and types of its own fields, without prose. Every answer fits it. */
export function toolOutputSchema({ answer }: Operation): JsonSchema {
  const own = Object.fromEntries(Object.entries(answer.shape).filter(([name]) => !ENVELOPE.has(name)))
  const options = { dropped: OUTPUT_NOISE, familiar: FAMILIAR, depth: OUTPUT_DEPTH }
  return SchemaOutline.of(z.toJSONSchema(z.looseObject(own), { io: 'input' }), options)
}
