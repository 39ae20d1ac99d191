import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { execute, GraphQLError, parse, validate } from 'graphql'
import { afterAll, afterEach } from 'vitest'
import * as z from 'zod'
import type { TestChain } from '../../support/chain.ts'
import { apiSchema, entityTypes, SCHEMA_FILE } from './apiSchema.ts'
import { type EntityValues, type Indexed, indexLogs } from './indexLogs.ts'
import { ListArguments, queryEntities } from './queryEntities.ts'

/** What the node gets wrong. What is left out is right. */
export interface GraphFaults {
  /** Takes the request and never answers. */
  readonly hang?: boolean
  readonly status?: number
  /** Sends the caller to another address. */
  readonly redirect?: string
  /** Answers with this text instead. */
  readonly body?: string
  /** Answers some questions with another text. */
  readonly instead?: (variables: Readonly<Record<string, unknown>>) => string | undefined
  /** Answers with errors of these messages beside the data. */
  readonly errors?: readonly string[]
  readonly hasIndexingErrors?: boolean
  readonly deployment?: string
  /** Stands where it says instead. */
  readonly block?: Partial<Indexed['block']>
  /** Changes the rows that it gives of a list. */
  readonly rows?: (rows: readonly EntityValues[], list: string) => readonly EntityValues[]
  /** Runs before each answer: what happens to the chain or to the node in the meantime. */
  readonly before?: (query: string) => Promise<void>
}

/** A graph-node with the subgraph on a test chain, which fails as a test wants. */
export interface GraphNode {
  readonly url: string
  /** What it was asked since the last reset: the names of the operations, in order. */
  readonly asked: readonly string[]
  /** The Authorization header of the last request. */
  readonly authorization: string | undefined
  reset(): void
  /** Until the next call, or the end of the test. */
  fail(faults: GraphFaults): void
  /** Stays at a block, the newest by default, whatever becomes of the chain, until `follow()`. */
  stay(blockNumber?: number): Promise<void>
  follow(): void
}

const DEPLOYMENT = 'QmTheDeploymentOfTheTests'

const Question = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).default({}) })
const Height = z.object({ block: z.object({ number: z.number() }).optional() })

/**
 * A graph-node of this test file's own: `const graph = await useGraphNode(chain)`.
 *
 * It executes the API that graph-node makes of the subgraph's schema file, and refuses what that refuses: every
 * document and variable is validated, lists have at most 1000 rows, blocks ahead of its own are not known.
 */
export async function useGraphNode(chain: TestChain): Promise<GraphNode> {
  const schema = apiSchema(SCHEMA_FILE)
  const entities = entityTypes(SCHEMA_FILE)
  let faults: GraphFaults = {}
  let asked: string[] = []
  let authorization: string | undefined
  let stayed: Indexed | undefined
  let known: Indexed | undefined

  const index = (to: bigint) => indexLogs(chain.client, chain.contract, entities, to)
  const current = async (): Promise<Indexed> => {
    if (stayed !== undefined) return stayed
    const { number, hash } = await chain.client.getBlock()
    if (known?.block.hash !== hash) known = await index(number)
    return known
  }

  const answer = async (question: z.output<typeof Question>) => {
    const document = parse(question.query)
    const invalid = validate(schema, document)
    if (invalid.length > 0) return { errors: invalid }
    const { block, lists } = await current()
    const rows = (type: (typeof entities)[number]) => (given: unknown) => {
      const height = Height.parse(given).block?.number ?? block.number
      if (height > block.number) {
        throw new GraphQLError(
          `Failed to decode \`block.number\` value: \`subgraph ${DEPLOYMENT} has only indexed up to block number ${block.number} and data for block number ${height} is therefore not yet available\``,
        )
      }
      const there = (lists.get(type.list) ?? []).filter((row) => Number(row.blockNumber) <= height)
      const found = queryEntities(type, there, ListArguments.parse(given))
      return faults.rows?.(found, type.list) ?? found
    }
    const meta = (given: unknown) => ({
      // A block that is asked for by its number is named by that alone.
      block: Height.parse(given).block ?? { ...block, ...faults.block },
      deployment: faults.deployment ?? DEPLOYMENT,
      hasIndexingErrors: faults.hasIndexingErrors ?? false,
    })
    const rootValue = {
      _meta: meta,
      ...Object.fromEntries(entities.map((type) => [type.list, rows(type)])),
    }
    const result = await execute({ schema, document, rootValue, variableValues: question.variables })
    const errors = faults.errors?.map((message) => ({ message }))
    return errors === undefined ? result : { ...result, errors }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    authorization = request.headers.authorization
    const question = Question.parse(await json(request))
    const name = /^query (\w+)/.exec(question.query)?.[1] ?? ''
    asked.push(name)
    await faults.before?.(name)
    const { hang, status, redirect, body } = faults
    if (hang === true) return
    if (redirect !== undefined) response.writeHead(307, { location: redirect }).end()
    else if (status !== undefined) response.writeHead(status).end(body ?? 'no')
    else {
      const text = body ?? faults.instead?.(question.variables) ?? JSON.stringify(await answer(question))
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    }
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')

  const node: GraphNode = {
    url: `http://127.0.0.1:${address.port}/subgraphs/name/subscriptions`,
    get asked() {
      return asked
    },
    get authorization() {
      return authorization
    },
    reset() {
      asked = []
    },
    fail(next) {
      faults = next
    },
    async stay(blockNumber) {
      stayed = await index(
        blockNumber === undefined ? await chain.client.getBlockNumber() : BigInt(blockNumber),
      )
    },
    follow() {
      stayed = undefined
    },
  }
  afterEach(() => {
    node.fail({})
    node.follow()
    node.reset()
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return node
}
