import * as z from 'zod'

const JsonSchema = z.looseObject({
  $schema: z.string().optional(),
  $defs: z.record(z.string(), z.json()).optional(),
})

/** Collects the schemas of the document. A schema with an id stands once, under `components`. */
export class SchemaBook {
  readonly #named = new Map<string, Json>()
  readonly #added = new Map<z.ZodType, JsonObject>()

  /** The JSON Schema of the wire form: of a codec, its input side. */
  add(schema: z.ZodType): JsonObject {
    const known = this.#added.get(schema)
    if (known !== undefined) return known
    const added = this.#convert(schema)
    this.#added.set(schema, added)
    return added
  }

  entries(): JsonObject {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #convert(schema: z.ZodType): JsonObject {
    const { $schema: _, $defs = {}, ...own } = JsonSchema.parse(z.toJSONSchema(schema, { io: 'input' }))
    for (const [name, named] of Object.entries($defs)) this.#named.set(name, moved(named))
    return z.record(z.string(), z.json()).parse(moved(z.json().parse(own)))
  }
}

/** The same schema with its references changed to `#/components/schemas/`. */
function moved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moved)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace('#/$defs/', '#/components/schemas/')
        : moved(value),
    ]),
  )
}

/** Anything that JSON can state. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

export type JsonObject = { readonly [name: string]: Json }
