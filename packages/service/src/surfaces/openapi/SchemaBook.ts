import * as z from 'zod'

const JsonSchema = z.looseObject({
  $schema: z.string().optional(),
  $defs: z.record(z.string(), z.json()).optional(),
})

/**
 * Collects the schemas of the OpenAPI document. A schema with an id stands once, under `components`, and so does each object
 * that is one member of a union: programs that make clients take their types' names from there.
 */
export class SchemaBook {
  readonly #named = new Map<string, { readonly text: string; readonly schema: Json }>()
  readonly #added = new Map<z.ZodType, JsonObject>()

  /**
   * The JSON Schema of the wire form: of a codec, its input side. What it refers to is added to the components.
   * @param name what it is called, in Pascal case: names of members begin with it
   */
  schemaOf(schema: z.ZodType, name: string): JsonObject {
    const known = this.#added.get(schema)
    if (known !== undefined) return known
    const added = this.#convert(schema, name)
    this.#added.set(schema, added)
    return added
  }

  /** All of `components.schemas`, sorted by name. */
  entries(): JsonObject {
    const rows = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(rows.map(([name, { schema }]) => [name, schema]))
  }

  #convert(schema: z.ZodType, name: string): JsonObject {
    const { $schema: _, $defs = {}, ...own } = JsonSchema.parse(z.toJSONSchema(schema, { io: 'input' }))
    for (const [id, named] of Object.entries($defs)) this.#keep(id, this.#rewritten(named, id))
    const moved = z.record(z.string(), z.json()).parse(this.#rewritten(z.json().parse(own), name))
    // The event that a webhook is sent stands there already, as a member of the union in the list of events.
    return this.#named.get(name)?.text === JSON.stringify(moved) ? referenceTo(name) : moved
  }

  /** The same schema with its references changed to `#/components/schemas/`, and each object in a union to a reference. */
  #rewritten(schema: Json, name: string): Json {
    if (Array.isArray(schema)) return schema.map((one) => this.#rewritten(one, name))
    if (!isObject(schema)) return schema
    if (typeof schema.$ref === 'string') {
      return { ...schema, $ref: schema.$ref.replace('#/$defs/', '#/components/schemas/') }
    }
    const moved = Object.entries(schema).map(([key, value]): [string, Json] => {
      if (key === 'properties' && isObject(value)) {
        const fields = Object.entries(value).map(([field, inner]): [string, Json] => [
          field,
          this.#rewritten(inner, `${name}${inPascalCase(field)}`),
        ])
        return [key, Object.fromEntries(fields)]
      }
      if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value))
        return [key, this.#members(value, name)]
      return [key, this.#rewritten(value, name)]
    })
    return withSingleTypes(Object.fromEntries(moved))
  }

  /** The members of a union, each object among them as a reference. Beside null alone, an object has the union's name. */
  #members(members: readonly Json[], name: string): Json[] {
    const isOne = members.filter((member) => !isNull(member)).length === 1
    return members.map((member) => {
      if (!isObject(member) || member.properties === undefined) return this.#rewritten(member, name)
      const own = isOne ? name : memberName(member.properties, name)
      this.#keep(own, this.#rewritten(member, own))
      return referenceTo(own)
    })
  }

  /** Throws Error for a name that another schema has. */
  #keep(name: string, schema: Json): void {
    const text = JSON.stringify(schema)
    const known = this.#named.get(name)
    if (known !== undefined && known.text !== text) throw new Error(`Two schemas are called ${name}`)
    this.#named.set(name, { text, schema })
  }
}

/**
 * What a member of a union is called, by the field whose one value tells it from the others: `RetractedEvent` for a text,
 * `DueListSkipped` and `DueListNotSkipped` for true and false. Throws Error where no field does.
 */
function memberName(properties: Json, union: string): string {
  const fields = isObject(properties) ? Object.entries(properties) : []
  for (const [field, schema] of fields) {
    const value = isObject(schema) ? schema.const : undefined
    if (typeof value === 'string') return `${inPascalCase(value)}${union}`
    if (typeof value === 'boolean') return `${union}${value ? '' : 'Not'}${inPascalCase(field)}`
  }
  throw new Error(`A member of ${union} has no field that tells it from the others`)
}

/** A list of types, or of choices of several types, as a union: not every program that makes clients knows such lists. */
function withSingleTypes(schema: JsonObject): JsonObject {
  const { type, ...untyped } = schema
  if (Array.isArray(type)) return { ...untyped, anyOf: type.map((one) => ({ type: one })) }
  const { enum: choices, ...rest } = untyped
  if (type !== undefined || !Array.isArray(choices)) return schema
  const texts = choices.filter((choice) => typeof choice === 'string')
  const numbers = choices.filter((choice) => typeof choice === 'number')
  if (texts.length === 0 || numbers.length === 0) return schema
  return {
    ...rest,
    anyOf: [
      { type: 'integer', enum: numbers },
      { type: 'string', enum: texts },
    ],
  }
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function isObject(schema: Json | undefined): schema is JsonObject {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
}

function isNull(schema: Json): boolean {
  return isObject(schema) && schema.type === 'null'
}

/** Anything that JSON can state. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

export type JsonObject = { readonly [name: string]: Json }

/** `NOT_READY`, `payment.at_risk` and `nextDue` as `NotReady`, `PaymentAtRisk` and `NextDue`. */
export function inPascalCase(name: string): string {
  const words = name.split(/[_.]/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + restOf(word)).join('')
}

/** Of a word in capitals, the rest is written small. In `nextDue`, a capital begins a word and stays. */
function restOf(word: string): string {
  const rest = word.slice(1)
  return word === word.toUpperCase() ? rest.toLowerCase() : rest
}
