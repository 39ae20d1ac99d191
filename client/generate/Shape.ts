import * as z from 'zod'
import { Address } from '../../src/schema/address.ts'

/** What a value is on its way to a program: its wire form, and what becomes of it inside. */
export type Shape =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'scalar' | 'json' }
  /** Texts that have a type of their own inside. */
  | { readonly kind: 'decimal' | 'hexQuantity' | 'time' | 'address' | 'hex' }
  | { readonly kind: 'oneOf'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'nullable' | 'list' | 'record'; readonly of: Shape }
  | { readonly kind: 'named'; readonly name: string }
  /** Objects that differ in the one value of `by`. */
  | { readonly kind: 'variants'; readonly by: string; readonly variants: readonly ObjectShape[] }
  | ObjectShape

export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  /** Whether it may have fields that are not named here, of any type. */
  readonly open: boolean
}

export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly doc: string | undefined
  readonly shape: Shape
}

export interface NamedShape {
  readonly doc: string | undefined
  readonly shape: Shape
}

interface Node {
  readonly type?: string | readonly string[] | undefined
  readonly inside?: 'decimal' | 'hexQuantity' | 'address' | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly description?: string | undefined
  readonly const?: string | number | boolean | undefined
  readonly enum?: readonly (string | number | boolean)[] | undefined
  readonly $ref?: string | undefined
  readonly anyOf?: readonly Node[] | undefined
  readonly oneOf?: readonly Node[] | undefined
  readonly items?: Node | boolean | undefined
  readonly properties?: Readonly<Record<string, Node>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean | Node | undefined
  readonly $defs?: Readonly<Record<string, Node>> | undefined
}

const Literal = z.union([z.string(), z.number(), z.boolean()])

const Node: z.ZodType<Node> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    inside: z.enum(['decimal', 'hexQuantity', 'address']).optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    description: z.string().optional(),
    const: Literal.optional(),
    enum: z.array(Literal).optional(),
    $ref: z.string().optional(),
    anyOf: z.array(Node).optional(),
    oneOf: z.array(Node).optional(),
    items: z.union([z.boolean(), Node]).optional(),
    properties: z.record(z.string(), Node).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), Node]).optional(),
    $defs: z.record(z.string(), Node).optional(),
  }),
)

/**
 * Reads a schema, by way of JSON Schema of its wire side.
 * @param named receives the schemas that have an id, which are referred to by it
 */
export function readShape(schema: z.ZodType, named: Map<string, NamedShape>): Shape {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const inside = insideOf(zodSchema)
      if (inside !== undefined) jsonSchema.inside = inside
    },
  })
  const node = Node.parse(json)
  for (const [name, definition] of Object.entries(node.$defs ?? {})) {
    named.set(name, { doc: definition.description, shape: toShape(definition, name) })
  }
  return toShape(node, 'a schema')
}

/** What JSON Schema cannot say of a codec: the type that it has inside. */
function insideOf(schema: z.core.$ZodTypes): Node['inside'] {
  // A described copy shares the definition with what it was copied from.
  if (schema._zod.def === Address._zod.def) return 'address'
  const { def } = schema._zod
  if (def.type !== 'pipe' || !(def.out instanceof z.ZodBigInt)) return undefined
  return z.encode(schema, 255n) === '0xff' ? 'hexQuantity' : 'decimal'
}

function toShape(node: Node, at: string): Shape {
  const { type, $ref } = node
  if ($ref !== undefined) return { kind: 'named', name: $ref.replace('#/$defs/', '') }
  if (node.inside !== undefined) return { kind: node.inside }
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
  throw new Error(`The client cannot say what ${at} is: ${JSON.stringify(node)}`)
}

function text({ format, pattern }: Node): Shape {
  if (format === 'date-time') return { kind: 'time' }
  return { kind: pattern?.startsWith('^0x') ? 'hex' : 'string' }
}

function nullable(options: readonly Node[], at: string): Shape {
  const [of, nothing, ...more] = options
  if (of === undefined || nothing?.type !== 'null' || more.length > 0) {
    throw new Error(`The client knows of no union like the one of ${at}`)
  }
  return { kind: 'nullable', of: toShape(of, at) }
}

function variants(options: readonly Node[], at: string): Shape {
  const shapes = options.map((option) => object(option, at))
  const [first] = shapes
  const by = first?.fields.find(({ name }) => shapes.every((shape) => singleValue(shape, name)))?.name
  if (by === undefined) throw new Error(`Nothing tells the variants of ${at} apart`)
  return { kind: 'variants', by, variants: shapes }
}

/** The one value that a field can have. */
export function singleValue(shape: ObjectShape, name: string): string | undefined {
  const field = shape.fields.find((one) => one.name === name)
  if (field?.shape.kind !== 'oneOf' || field.shape.values.length !== 1) return undefined
  return String(field.shape.values[0])
}

function object(node: Node, at: string): ObjectShape
function object(node: Node, at: string): Shape
function object(node: Node, at: string): Shape {
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
