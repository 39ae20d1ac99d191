import * as z from 'zod'

// The JSON Schemas of tools, in the subset that the makers of models have in common.

export type JsonSchema = Readonly<Record<string, unknown>>

const Type = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** A JSON Schema of one form, as zod writes it and as far as it is read here. */
const Form = z.object({
  type: Type.optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
})

export type Form = z.output<typeof Form>

export const Schema = Form.extend({
  type: z.union([Type, z.array(Type)]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
})

export type Schema = z.output<typeof Schema>

/** A schema as its alternatives, each of one type: members of a union, types of a list, or choices apart by their type. */
export function formsOf(schema: unknown): Form[] {
  const { anyOf, oneOf, type, ...form } = Schema.parse(schema)
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) return alternatives.flatMap(formsOf)
  if (Array.isArray(type)) return type.map((one) => ({ ...form, type: one }))
  const texts = form.enum?.filter((choice) => typeof choice === 'string') ?? []
  const others = form.enum?.filter((choice) => typeof choice !== 'string') ?? []
  if (type === undefined && texts.length > 0 && others.length > 0) {
    return [
      { ...form, type: 'number', enum: others },
      { ...form, type: 'string', enum: texts },
    ]
  }
  return [type === undefined ? form : { ...form, type }]
}

const BOUNDS = ['minimum', 'maximum', 'minItems', 'maxItems'] as const
/** What zod states for every integer: that JSON carries it exactly. No tool needs to be told. */
const INTEGER_BOUNDS: ReadonlySet<unknown> = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

/**
 * A schema in what the tools of Gemini, Vertex, Anthropic and OpenAI have in common: one type for each value, and choices
 * among texts only. Whatever the whole schema takes can be written so that it fits this one (a number as text, say), and
 * `readArguments` reads it back. It may take more; the whole schema then refuses that, by name.
 */
export function toCommonSubset(schema: unknown): JsonSchema {
  const { description } = Schema.parse(schema)
  const forms = formsOf(schema).filter(({ type }) => type !== 'null')
  const schemaOfOne = singleForm(forms)
  return description === undefined ? schemaOfOne : { ...schemaOfOne, description }
}

/** One schema for all forms. Throws RangeError where there is none. */
function singleForm(forms: readonly Form[]): JsonSchema {
  const [first, ...others] = forms
  if (first === undefined) throw new RangeError('A tool takes nothing that is always null')
  if (others.length === 0) return schemaOfForm(first)
  const choices = forms.map(choicesOf)
  if (choices.every((texts) => texts !== undefined)) return { type: 'string', enum: choices.flat() }
  // Each can be written as text, and `readArguments` finds what it was.
  if (forms.every(({ type }) => type !== 'object' && type !== 'array')) return { type: 'string' }
  throw new RangeError('A tool takes no value that has several forms with fields of their own')
}

function schemaOfForm(form: Form): JsonSchema {
  const { type, description, properties, required, items } = form
  const texts = choicesOf(form)
  const numbers = [form.const, ...(form.enum ?? [])].filter((value) => typeof value === 'number')
  const bounds = BOUNDS.filter((bound) => form[bound] !== undefined && !INTEGER_BOUNDS.has(form[bound]))
  return {
    ...(type === undefined
      ? {}
      : { type: numbers.length > 0 && numbers.every(Number.isInteger) ? 'integer' : type }),
    ...(description === undefined ? {} : { description }),
    ...(texts === undefined ? {} : { enum: texts }),
    // A choice among numbers is told as its range: the whole schema refuses what lies between.
    ...(numbers.length === 0 ? {} : { minimum: Math.min(...numbers), maximum: Math.max(...numbers) }),
    ...Object.fromEntries(bounds.map((bound) => [bound, form[bound]])),
    ...(properties === undefined ? {} : { properties: mapValues(properties, toCommonSubset) }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: toCommonSubset(items) }),
  }
}

/** The texts that a form chooses from; `undefined` where it takes others too. */
export function choicesOf(form: Form): string[] | undefined {
  const choices = 'const' in form ? [form.const] : form.enum
  return choices?.every((choice) => typeof choice === 'string') ? choices : undefined
}

export function mapValues<From, To>(from: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]))
}
