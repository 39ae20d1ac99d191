import * as z from 'zod'
import type { Operation } from '../../core/operation.ts'

/** The JSON types that matter for a query string. */
export type Kind = 'string' | 'number' | 'boolean'

/** The parts of a JSON Schema that are read here. */
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  get anyOf() {
    return z.array(Schema).optional()
  },
  get oneOf() {
    return z.array(Schema).optional()
  },
  get allOf() {
    return z.array(Schema).optional()
  },
})

const ObjectSchema = z.looseObject({ properties: z.record(z.string(), Schema).optional() })

/** The JSON types that each field of an operation's input may have. */
export function inputKinds(operation: Operation): ReadonlyMap<string, ReadonlySet<Kind>> {
  const schema = ObjectSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  return new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, new Set(kinds(field))]),
  )
}

function kinds(schema: z.output<typeof Schema>): Kind[] {
  const { type, anyOf = [], oneOf = [], allOf = [] } = schema
  const named = typeof type === 'string' ? [type] : (type ?? [])
  const values = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])]
  return [
    ...named.flatMap(kindOf),
    ...(named.length === 0 ? values.flatMap((value) => kindOf(typeof value)) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap(kinds),
  ]
}

function kindOf(type: string): Kind[] {
  if (type === 'integer' || type === 'number') return ['number']
  return type === 'string' || type === 'boolean' ? [type] : []
}

const DECIMAL = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/

/**
 * Converts a text of the path or query to the JSON type that its field's schema asks for.
 *
 * Text in another form stays text, so that the schema refuses it and names the field.
 */
export function toJsonValue(text: string, kinds: ReadonlySet<Kind> | undefined): string | number | boolean {
  if (kinds === undefined || kinds.has('string')) return text
  if (kinds.has('number') && DECIMAL.test(text)) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
