import * as z from 'zod'
import type { Operation } from '../../../calls/serviceOperation.ts'
import { formsOf, type JsonSchema, mapValues, Schema, toCommonSubset } from './commonSubset.ts'

/** How many rows a tool's page has when nobody says: a model reads every one. */
export const TOOL_PAGE = 5

/** Whether a tool answers a page whose length the caller may choose. */
export function isPaged({ input }: Operation): boolean {
  return 'first' in input.shape
}

/** All that a tool takes: its operation's input, and what tools take beside it. */
export function wholeInput(operation: Operation): Schema {
  const own = Schema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  const minBlock = operation.onChain ? { minBlock: { type: 'integer' } } : {}
  return { ...own, properties: { chainId: { type: 'string' }, ...own.properties, ...minBlock } }
}

/** What means the same for every tool that takes it: the server's instructions explain it once. */
const FAMILIAR_FIELDS = new Set([
  'readinessOnly',
  'simulateFromAddress',
  'paymasterUrl',
  'skip',
  'after',
  'untilBlock',
])

/** What a tool takes, in as few words as a model can work with. */
export function toolInputSchema(operation: Operation): JsonSchema {
  const { properties = {}, required } = wholeInput(operation)
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    // A field that takes one value only leaves a model nothing to choose.
    if (formsOf(schema).every((form) => 'const' in form)) return []
    const { description, ...bare } = toCommonSubset(schema)
    if (description === undefined || FAMILIAR_FIELDS.has(name)) return [[name, bare]]
    return [[name, { ...bare, description: name === 'first' ? `Rows. Default ${TOOL_PAGE}.` : description }]]
  })
  return { ...(required === undefined ? {} : { required }), properties: Object.fromEntries(fields) }
}

/** What every answer about a chain has beside its own fields. The server's instructions explain it once. */
const ENVELOPE = new Set(['chainId', 'asOf', 'index', 'warnings'])

const Definitions = z.looseObject({ $defs: z.record(z.string(), z.unknown()).optional() })

/**
 * What a tool answers: the names and types of its own fields, and not of those in its rows, which the first answer shows.
 * OpenAPI has all of them, with their descriptions. Every answer fits it.
 */
export function toolOutputSchema({ answer }: Operation): JsonSchema {
  const own = Object.fromEntries(Object.entries(answer.shape).filter(([name]) => !ENVELOPE.has(name)))
  const { $defs = {}, ...whole } = Definitions.parse(z.toJSONSchema(z.looseObject(own), { io: 'input' }))
  const { properties = {} } = Schema.parse(whole)

  /** The type of a value, and of a list's elements. Empty, so that all fits, where a form has no type. */
  function outline(schema: unknown): JsonSchema {
    const { $ref } = z.looseObject({ $ref: z.string().optional() }).parse(schema)
    if ($ref !== undefined) return outline($defs[$ref.slice('#/$defs/'.length)])
    const forms = formsOf(schema)
    const types = [...new Set(forms.map(({ type }) => type))]
    const [first] = types
    if (first === undefined || types.includes(undefined)) return {}
    const [items] = forms.flatMap((form) => (form.items === undefined ? [] : [form.items]))
    return {
      type: types.length === 1 ? first : types,
      ...(items === undefined ? {} : { items: outline(items) }),
    }
  }

  return { properties: mapValues(properties, outline) }
}
