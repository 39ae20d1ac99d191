import * as z from 'zod'

/** A JSON Schema, as far as it is read here. */
const Schema = z.looseObject({
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
})

export type JsonSchema = Readonly<Record<string, unknown>>

/** What says nothing to a model: `{}` of loose objects, and how the names of a record are made. */
const NEVER_KEPT = new Set(['$schema', '$defs', 'propertyNames', 'id'])

/** The bounds of what JSON carries exactly: zod states them for every integer. */
const INTEGER_BOUNDS: ReadonlySet<unknown> = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

interface OutlineOptions {
  /** Keywords that are left out. */
  readonly dropped: readonly string[]
  /** Names of shapes that are told once elsewhere: their type stands alone. */
  readonly familiar?: readonly string[]
  /** How many objects deep fields are named; below that, their type stands alone. */
  readonly depth: number
}

/**
 * A schema without what costs a model tokens and tells it nothing. Every value of the whole schema fits the outline.
 *
 * Shapes with a name stand once, under `$defs`.
 */
export class SchemaOutline {
  readonly #defs: Readonly<Record<string, JsonSchema>>
  readonly #dropped: ReadonlySet<string>
  readonly #familiar: ReadonlySet<string>
  /** The shapes that are referred to, and how many more objects deep each is told. */
  readonly #needed = new Map<string, number>()

  private constructor(schema: JsonSchema, { dropped, familiar = [] }: OutlineOptions) {
    this.#defs = Schema.parse(schema).$defs ?? {}
    this.#dropped = new Set([...NEVER_KEPT, ...dropped])
    this.#familiar = new Set(familiar)
  }

  static of(schema: JsonSchema, options: OutlineOptions): JsonSchema {
    return new SchemaOutline(schema, options).#whole(schema, options.depth)
  }

  #whole(schema: JsonSchema, depth: number): JsonSchema {
    const told = this.#tell(schema, depth)
    const defs = new Map<string, { depth: number; told: JsonSchema }>()
    // A shape can need another one deeper than it has been told so far, so this goes on until nothing changes.
    for (let before = -1; before !== sumOf(this.#needed); ) {
      before = sumOf(this.#needed)
      for (const [name, needed] of [...this.#needed]) {
        if ((defs.get(name)?.depth ?? -1) >= needed) continue
        defs.set(name, { depth: needed, told: this.#tell(this.#defs[name] ?? {}, needed) })
      }
    }
    if (defs.size === 0) return told
    return { ...told, $defs: Object.fromEntries([...defs].map(([name, def]) => [name, def.told])) }
  }

  #tell(schema: unknown, depth: number): JsonSchema {
    const { $ref, properties, items, anyOf, oneOf, ...rest } = Schema.parse(schema)
    if ($ref !== undefined) return this.#refer($ref, depth)
    const kept = Object.entries(rest).filter(([keyword, value]) => this.#isKept(keyword, value, depth))
    return {
      ...Object.fromEntries(kept),
      ...(properties === undefined || depth <= 0
        ? {}
        : { properties: mapped(properties, (field) => this.#tell(field, depth - 1)) }),
      ...(items === undefined ? {} : { items: this.#tell(items, depth) }),
      ...(anyOf === undefined ? {} : alternatives(anyOf.map((one) => this.#tell(one, depth)))),
      // Without their fields two shapes can be the same, and a value would fit both: then `oneOf` would refuse it.
      ...(oneOf === undefined ? {} : alternatives(distinct(oneOf.map((one) => this.#tell(one, depth))))),
    }
  }

  #refer(ref: string, depth: number): JsonSchema {
    const name = ref.slice('#/$defs/'.length)
    if (depth <= 0 || this.#familiar.has(name)) return { type: this.#defs[name]?.type }
    this.#needed.set(name, Math.max(this.#needed.get(name) ?? 0, depth))
    return { $ref: ref }
  }

  #isKept(keyword: string, value: unknown, depth: number): boolean {
    if (this.#dropped.has(keyword)) return false
    if (keyword === 'additionalProperties') return typeof value === 'boolean' && depth > 0
    if (keyword === 'required') return depth > 0
    return !INTEGER_BOUNDS.has(value)
  }
}

/** `{"type": ["string", "null"]}` says the same as two schemas. */
function alternatives(schemas: readonly JsonSchema[]): JsonSchema {
  const [first, second, ...more] = schemas
  if (first !== undefined && second === undefined) return first
  const isNullable = second?.type === 'null' && more.length === 0 && typeof first?.type === 'string'
  if (first === undefined || !isNullable || 'enum' in first) return { anyOf: schemas }
  return { ...first, type: [first.type, 'null'] }
}

function distinct(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

function mapped<From, To>(from: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]))
}

function sumOf(needed: ReadonlyMap<string, number>): number {
  return [...needed.values()].reduce((sum, depth) => sum + depth, needed.size)
}
