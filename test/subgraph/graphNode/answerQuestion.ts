import { execute, GraphQLError, parse, validate } from 'graphql'
import * as z from 'zod'
import { apiSchema, type EntityType, entityTypes, SCHEMA_FILE } from './apiSchema.ts'
import type { EntityValues, Indexed } from './indexLogs.ts'
import { ListArguments, queryEntities } from './queryEntities.ts'

export const Question = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).default({}),
})
export type Question = z.output<typeof Question>

/** What is said otherwise than it is. */
export interface Untruths {
  readonly hasIndexingErrors?: boolean
  readonly deployment?: string
  /** Stands where it says instead. */
  readonly block?: Partial<Indexed['block']>
  /** Changes the rows that it gives of a list. */
  readonly rows?: (rows: readonly EntityValues[], list: string) => readonly EntityValues[]
}

const DEPLOYMENT = 'QmTheDeploymentOfTheTests'
const Height = z.object({
  block: z.object({ number: z.number().optional(), hash: z.string().optional() }).optional(),
})

/** What it gave for blocks that were asked for by number. It gives the same again, whatever became of the chain. */
export type AnsweredByNumber = Map<string, readonly EntityValues[]>

const schema = apiSchema(SCHEMA_FILE)
export const ENTITY_TYPES = entityTypes(SCHEMA_FILE)

const readQueries = new Map<string, ReturnType<typeof validated>>()

/** The same few queries come again and again. */
function readQuery(query: string) {
  const read = readQueries.get(query) ?? validated(query)
  readQueries.set(query, read)
  return read
}

function validated(query: string) {
  const document = parse(query)
  return { document, invalid: validate(schema, document) }
}

/**
 * Executes a question as graph-node does, by the API that it makes of the subgraph's schema file, and refuses
 * what that refuses: every document and variable is validated, lists have at most 1000 rows, blocks ahead of
 * its own are not known. A block's hash stands for its number, also where that block was lost since.
 */
export async function answerQuestion(
  { query, variables }: Question,
  { block, lists, numbers }: Indexed,
  untruths: Untruths = {},
  answeredByNumber: AnsweredByNumber = new Map(),
): Promise<{ readonly data?: unknown; readonly errors?: unknown }> {
  const { document, invalid } = readQuery(query)
  if (invalid.length > 0) return { errors: invalid }

  const heightOf = (given: unknown) => {
    const { number, hash } = Height.parse(given).block ?? {}
    const height = hash === undefined ? (number ?? block.number) : numbers.get(hash.toLowerCase())
    if (height === undefined) {
      throw new GraphQLError('Failed to decode `block.hash` value: `no block with that hash found`')
    }
    if (height <= block.number) return height
    throw new GraphQLError(
      `Failed to decode \`block.number\` value: \`subgraph ${DEPLOYMENT} has only indexed up to block number ${block.number} and data for block number ${height} is therefore not yet available\``,
    )
  }
  const rowsOf = (type: EntityType) => (given: unknown) => {
    const height = heightOf(given)
    const there = (lists.get(type.list) ?? []).filter((row) => Number(row.blockNumber) <= height)
    const isByNumber = Height.parse(given).block?.number !== undefined
    const question = JSON.stringify([type.list, given])
    const found =
      (isByNumber ? answeredByNumber.get(question) : undefined) ??
      queryEntities(type, there, ListArguments.parse(given))
    if (isByNumber) answeredByNumber.set(question, found)
    return untruths.rows?.(found, type.list) ?? found
  }
  const rootValue = {
    ...Object.fromEntries(ENTITY_TYPES.map((type) => [type.list, rowsOf(type)])),
    _meta: (given: unknown) => ({
      // A block that is asked for by its number is named by that alone.
      block: Height.parse(given).block ?? { ...block, ...untruths.block },
      deployment: untruths.deployment ?? DEPLOYMENT,
      hasIndexingErrors: untruths.hasIndexingErrors ?? false,
    }),
  }
  return execute({ schema, document, rootValue, variableValues: variables })
}
