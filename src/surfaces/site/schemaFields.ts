import * as z from 'zod'

/** One field of an object, in words. */
export interface TypedField {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

const JsonSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  anyOf: z.array(z.json()).optional(),
  oneOf: z.array(z.json()).optional(),
  items: z.json().optional(),
  properties: z.record(z.string(), z.json()).optional(),
  required: z.array(z.string()).optional(),
  description: z.string().optional(),
})

const Definitions = z.looseObject({ $defs: z.record(z.string(), z.json()).optional() })

/** The fields of an object in wire form: of a codec, its input side. */
export function schemaFields(schema: z.ZodType): TypedField[] {
  return fieldsOf(z.toJSONSchema(schema, { io: 'input' }))
}

/** Every named type that the schemas use, by its name. */
export function schemaTypes(schemas: readonly z.ZodType[]): ReadonlyMap<string, readonly TypedField[]> {
  const types = new Map<string, readonly TypedField[]>()
  for (const schema of schemas) {
    const { $defs = {} } = Definitions.parse(z.toJSONSchema(schema, { io: 'input' }))
    for (const [name, definition] of Object.entries($defs)) {
      const fields = fieldsOf(definition)
      types.set(name, fields.length > 0 ? fields : choicesOf(definition))
    }
  }
  return new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** One row for each value of a named enum. */
function choicesOf(schema: unknown): TypedField[] {
  const { enum: words = [] } = JsonSchema.parse(schema)
  return words.map((word) => ({ name: String(word), type: '', required: true, description: '' }))
}

function fieldsOf(schema: unknown): TypedField[] {
  const { properties = {}, required = [] } = JsonSchema.parse(schema)
  return Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeOf(field),
    required: required.includes(name),
    description: JsonSchema.parse(field).description ?? '',
  }))
}

function typeOf(schema: unknown): string {
  const parsed = JsonSchema.parse(schema)
  if (parsed.$ref !== undefined) return parsed.$ref.split('/').at(-1) ?? ''
  if (parsed.const !== undefined) return JSON.stringify(parsed.const)
  if (parsed.enum !== undefined) return parsed.enum.map((value) => JSON.stringify(value)).join(' or ')
  const choices = parsed.anyOf ?? parsed.oneOf
  if (choices !== undefined) return choices.map(typeOf).join(' or ')
  if (parsed.type === 'array') return `list of ${typeOf(parsed.items ?? {})}`
  if (parsed.properties !== undefined) return `{${fieldsOf(schema).map(inner).join(', ')}}`
  if (parsed.type === undefined) return 'anything'
  return typeof parsed.type === 'string' ? parsed.type : parsed.type.join(' or ')
}

function inner({ name, type, required }: TypedField): string {
  return `${name}${required ? '' : '?'}: ${type}`
}
