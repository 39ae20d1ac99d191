import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type FieldDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type TypeNode,
} from 'graphql'

/** The schema file of the subgraph that is tested. */
export const SCHEMA_FILE = readFileSync(join(import.meta.dirname, '../../../subgraph/schema.graphql'), 'utf8')

/** The filters that graph-node makes for a field, by the scalar that it has; `''` is plain equality. */
const COMPARING = ['', '_not', '_gt', '_lt', '_gte', '_lte', '_in', '_not_in']
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  Bytes: [...COMPARING, '_contains', '_not_contains'],
  BigInt: COMPARING,
  Int: COMPARING,
  Boolean: ['', '_not', '_in', '_not_in'],
  String: [
    ...COMPARING,
    ...['_contains', '_contains_nocase', '_not_contains', '_not_contains_nocase', '_starts_with'],
    ...['_starts_with_nocase', '_not_starts_with', '_not_starts_with_nocase', '_ends_with'],
    ...['_ends_with_nocase', '_not_ends_with', '_not_ends_with_nocase'],
  ],
}

const COMMON = `
  scalar Bytes
  scalar BigInt
  scalar BigDecimal
  scalar Int8
  scalar Timestamp
  enum OrderDirection { asc desc }
  enum _SubgraphErrorPolicy_ { allow deny }
  input BlockChangedFilter { number_gte: Int! }
  input Block_height { hash: Bytes number: Int number_gte: Int }
  type _Block_ { hash: Bytes number: Int! timestamp: Int parentHash: Bytes }
  type _Meta_ { block: _Block_! deployment: String! hasIndexingErrors: Boolean! }
`

/** The type of an entity, and how it is asked for. */
export interface EntityType {
  readonly name: string
  /** The field of Query that lists it. */
  readonly list: string
  readonly fields: readonly { readonly name: string; readonly scalar: string }[]
}

/** The entities of a subgraph's schema file. */
export function entityTypes(schemaFile: string): EntityType[] {
  return parse(schemaFile).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return []
    const name = definition.name.value
    const fields = (definition.fields ?? []).map(({ name, type }) => ({
      name: name.value,
      scalar: scalarOf(type),
    }))
    return [{ name, list: `${name.charAt(0).toLowerCase()}${name.slice(1)}s`, fields }]
  })
}

/** The schema that graph-node answers by, made from the schema file of a subgraph. */
export function apiSchema(schemaFile: string): GraphQLSchema {
  const types = parse(schemaFile).definitions.filter(
    (definition) => definition.kind === Kind.OBJECT_TYPE_DEFINITION,
  )
  const entities = entityTypes(schemaFile)
  const roots = entities.flatMap(({ name, list }) => [
    `${list.slice(0, -1)}(id: ID!, block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny): ${name}`,
    `${list}(skip: Int = 0, first: Int = 100, orderBy: ${name}_orderBy, orderDirection: OrderDirection,
       where: ${name}_filter, block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny): [${name}!]!`,
  ])
  const schema = buildSchema(`
    ${COMMON}
    ${types.map((type) => print(withoutDirectives(type))).join('\n')}
    ${entities.map(filterAndOrder).join('\n')}
    type Query { ${roots.join('\n')} _meta(block: Block_height): _Meta_ }
  `)
  strictScalar(schema, 'Bytes', /^(0x)?([0-9a-fA-F]{2})*$/)
  strictScalar(schema, 'BigInt', /^-?\d+$/)
  return schema
}

function filterAndOrder({ name, fields }: EntityType): string {
  const filters = fields.flatMap(({ name: field, scalar }) =>
    (FILTERS[scalar] ?? []).map((filter) => {
      const type = /_in$/.test(filter) ? `[${scalar}!]` : scalar
      return `${field}${filter}: ${type}`
    }),
  )
  return `
    input ${name}_filter {
      ${filters.join('\n')}
      _change_block: BlockChangedFilter
      and: [${name}_filter]
      or: [${name}_filter]
    }
    enum ${name}_orderBy { ${fields.map((field) => field.name).join(' ')} }
  `
}

/** graph-node refuses values that its scalars cannot hold; graphql-js lets a scalar of SDL hold anything. */
function strictScalar(schema: GraphQLSchema, name: string, form: RegExp): void {
  const scalar = schema.getType(name)
  if (!isScalarType(scalar)) throw new Error(`${name} is no scalar`)
  scalar.parseValue = (value: unknown) => {
    if (typeof value === 'string' && form.test(value)) return value
    throw new GraphQLError(`Invalid value provided for a ${name}: ${JSON.stringify(value)}`)
  }
  scalar.parseLiteral = (node) => scalar.parseValue('value' in node ? node.value : undefined)
}

function withoutDirectives(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const plain = (field: FieldDefinitionNode) => ({ ...field, directives: [] })
  return { ...type, directives: [], fields: (type.fields ?? []).map(plain) }
}

function scalarOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : scalarOf(type.type)
}
