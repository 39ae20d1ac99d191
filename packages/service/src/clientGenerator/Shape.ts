import { isDeepStrictEqual } from 'node:util'
import { Address } from '@remit/engine/schema/hex'
import * as z from 'zod'

// How the generator of the client reads the schemas of operations: a zod schema becomes JSON Schema, and that becomes a `Shape`, which the
// other files here print as TypeScript types (`emitApi.ts`) and as data for the client's decoder (`emitOperations.ts`).

/** The type of a value in the generated client: how it travels as JSON, and what the client turns it into. */
export type Shape =
  /** `scalar`: a string, a number or a boolean. */
  | { readonly kind: 'string' | 'number' | 'boolean' | 'scalar' | 'json' }
  /** Texts that the client turns into another type: the first two into a bigint, `time` into a Date. */
  | { readonly kind: 'decimal' | 'hexQuantity' | 'time' | 'address' | 'hex' }
  | { readonly kind: 'oneOf'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'nullable' | 'list' | 'record'; readonly of: Shape }
  | { readonly kind: 'named'; readonly name: string }
  | VariantsShape
  | ObjectShape

export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  /** Whether it may have fields that are not named here, of any type. */
  readonly open: boolean
}

/** Objects that are told apart by the value of the field `by`. */
export interface VariantsShape {
  readonly kind: 'variants'
  readonly by: string
  /** The fields that all of them have. */
  readonly common: readonly Field[]
  /** The other fields of each, `by` first. */
  readonly variants: readonly ObjectShape[]
}

export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly doc: string | undefined
  readonly shape: Shape
}

/** A shape that several operations share, as one type of the client. */
export interface NamedShape {
  readonly doc: string | undefined
  readonly shape: Shape
}

/** The parts of a JSON Schema that are read here. */
interface JsonSchemaNode {
  readonly type?: string | readonly string[] | undefined
  /** What the client decodes the text to; JSON Schema cannot say it. */
  readonly decodedAs?: 'decimal' | 'hexQuantity' | 'address' | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly description?: string | undefined
  readonly const?: string | number | boolean | undefined
  readonly enum?: readonly (string | number | boolean)[] | undefined
  readonly $ref?: string | undefined
  readonly anyOf?: readonly JsonSchemaNode[] | undefined
  readonly oneOf?: readonly JsonSchemaNode[] | undefined
  readonly items?: JsonSchemaNode | boolean | undefined
  readonly properties?: Readonly<Record<string, JsonSchemaNode>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean | JsonSchemaNode | undefined
  readonly $defs?: Readonly<Record<string, JsonSchemaNode>> | undefined
}

const Literal = z.union([z.string(), z.number(), z.boolean()])

const JsonSchemaNode: z.ZodType<JsonSchemaNode> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    decodedAs: z.enum(['decimal', 'hexQuantity', 'address']).optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    description: z.string().optional(),
    const: Literal.optional(),
    enum: z.array(Literal).optional(),
    $ref: z.string().optional(),
    anyOf: z.array(JsonSchemaNode).optional(),
    oneOf: z.array(JsonSchemaNode).optional(),
    items: z.union([z.boolean(), JsonSchemaNode]).optional(),
    properties: z.record(z.string(), JsonSchemaNode).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), JsonSchemaNode]).optional(),
    $defs: z.record(z.string(), JsonSchemaNode).optional(),
  }),
)

/**
 * Reads a schema through the JSON Schema of its wire form.
 * @param named receives the schemas that have an id; other shapes refer to them by it
 */
export function readShape(schema: z.ZodType, named: Map<string, NamedShape>): Shape {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const decoded = decodedAs(zodSchema)
      if (decoded !== undefined) jsonSchema.decodedAs = decoded
    },
  })
  const node = JsonSchemaNode.parse(json)
  for (const [name, definition] of Object.entries(node.$defs ?? {})) {
    named.set(name, { doc: definition.description, shape: toShape(definition, name) })
  }
  return toShape(node, 'a schema')
}

/** The decoded type of a codec, which JSON Schema cannot express. */
function decodedAs(schema: z.core.$ZodTypes): JsonSchemaNode['decodedAs'] {
  // `Address.describe(…)` is a copy with the same definition.
  if (schema._zod.def === Address._zod.def) return 'address'
  const { def } = schema._zod
  if (def.type !== 'pipe' || !(def.out instanceof z.ZodBigInt)) return undefined
  // Codecs to a bigint write hexadecimal or decimal text. A trial shows which.
  return z.encode(schema, 255n) === '0xff' ? 'hexQuantity' : 'decimal'
}

/** Throws Error for a schema that no type of the client can express. @param at names the place of the schema in that error */
function toShape(node: JsonSchemaNode, at: string): Shape {
  const { type, $ref } = node
  if ($ref !== undefined) return { kind: 'named', name: $ref.replace('#/$defs/', '') }
  if (node.decodedAs !== undefined) return { kind: node.decodedAs }
  if (node.const !== undefined) return { kind: 'oneOf', values: [node.const] }
  if (node.enum !== undefined) return { kind: 'oneOf', values: node.enum }
  if (node.anyOf !== undefined) return nullable(node.anyOf, at)
  if (node.oneOf !== undefined) return variants(node.oneOf, at)
  if (Array.isArray(type)) {
    const [first, second] = type
    if (type.length === 2 && second === 'null') {
      return { kind: 'nullable', of: toShape({ ...node, type: first }, at) }
    }
    if (!type.includes('null')) return { kind: 'scalar' }
  }
  switch (type) {
    case 'string':
      return text(node)
    case 'integer':
    case 'number':
      return { kind: 'number' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      if (typeof node.items !== 'object') break
      return { kind: 'list', of: toShape(node.items, `${at}[]`) }
    case 'object':
      return object(node, at)
    case undefined:
      return { kind: 'json' }
  }
  throw new Error(`The client has no type for ${at}: ${JSON.stringify(node)}`)
}

function text({ format, pattern }: JsonSchemaNode): Shape {
  if (format === 'date-time') return { kind: 'time' }
  return { kind: pattern?.startsWith('^0x') ? 'hex' : 'string' }
}

function nullable(options: readonly JsonSchemaNode[], at: string): Shape {
  const [of, nothing, ...more] = options
  if (of === undefined || nothing?.type !== 'null' || more.length > 0) {
    throw new Error(`The client supports unions with null only, and ${at} is another one`)
  }
  return { kind: 'nullable', of: toShape(of, at) }
}

/** Objects of which each has a field with another single value: that field tells them apart. Fields that all have alike are `common`. */
function variants(options: readonly JsonSchemaNode[], at: string): Shape {
  const shapes = options.map((option) => object(option, at))
  const [first] = shapes
  const by = first?.fields.find(({ name }) => shapes.every((shape) => singleValue(shape, name)))?.name
  if (by === undefined) throw new Error(`The variants of ${at} need a field whose value tells them apart`)
  const isIn = (field: Field, { fields }: ObjectShape) => fields.some((one) => isDeepStrictEqual(one, field))
  const common = first?.fields.filter((field) => shapes.every((shape) => isIn(field, shape))) ?? []
  const own = shapes.map((shape) => ({
    ...shape,
    fields: shape.fields.filter((field) => !common.some(({ name }) => name === field.name)),
  }))
  return { kind: 'variants', by, common, variants: own }
}

/** The only value that a field can have, as text; `undefined` where it can have several. */
export function singleValue(shape: ObjectShape, name: string): string | undefined {
  const field = shape.fields.find((one) => one.name === name)
  if (field?.shape.kind !== 'oneOf' || field.shape.values.length !== 1) return undefined
  return String(field.shape.values[0])
}

function object(node: JsonSchemaNode, at: string): ObjectShape
function object(node: JsonSchemaNode, at: string): Shape
function object(node: JsonSchemaNode, at: string): Shape {
  const { properties = {}, required = [], additionalProperties } = node
  const isOpen = typeof additionalProperties === 'object'
  if (isOpen && Object.keys(properties).length === 0) {
    return { kind: 'record', of: toShape(additionalProperties, `${at}.*`) }
  }
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    optional: !required.includes(name),
    doc: field.description,
    shape: toShape(field, `${at}.${name}`),
  }))
  return { kind: 'object', fields, open: isOpen }
}
