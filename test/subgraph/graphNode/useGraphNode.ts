import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach } from 'vitest'
import type { TestChain } from '../../support/chain/useTestChain.ts'
import {
  type AnsweredByNumber,
  answerQuestion,
  ENTITY_TYPES,
  Question,
  type Untruths,
} from './answerQuestion.ts'
import { type Indexed, indexLogs } from './indexLogs.ts'

/** What the node gets wrong. What is left out is right. */
export interface GraphFaults extends Untruths {
  /** Takes the request and never answers. */
  readonly hang?: boolean
  readonly status?: number
  /** Sends the caller to another address. */
  readonly redirect?: string
  /** Answers with this text instead. */
  readonly body?: string
  /** Answers some questions with another text. */
  readonly instead?: (variables: Readonly<Record<string, unknown>>) => string | undefined
  /** Refuses an answer that is larger: graph-node by an error, a proxy before it by HTTP 413. */
  readonly largest?: { readonly bytes: number; readonly by: 'graph-node' | 'proxy' }
  /** Answers with errors of these messages beside the data. */
  readonly errors?: readonly string[]
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

/**
 * A graph-node of this test file's own: `const graph = await useGraphNode(chain)`.
 *
 * It follows the chain as a subgraph's handlers do, reorganisations too.
 */
export async function useGraphNode(chain: TestChain): Promise<GraphNode> {
  let faults: GraphFaults = {}
  let asked: string[] = []
  let authorization: string | undefined
  let stayed: Indexed | undefined
  let known: Indexed | undefined
  const numbers = new Map<string, number>()
  const answeredByNumber: AnsweredByNumber = new Map()

  const index = (to: bigint) => indexLogs(chain.client, chain.contract, ENTITY_TYPES, to, numbers)
  const current = async (): Promise<Indexed> => {
    if (stayed !== undefined) return stayed
    const { number, hash } = await chain.client.getBlock()
    if (known?.block.hash !== hash) known = await index(number)
    return known
  }

  const answer = async (question: Question) => {
    const result = await answerQuestion(question, await current(), faults, answeredByNumber)
    const errors = faults.errors?.map((message) => ({ message }))
    return errors === undefined ? result : { ...result, errors }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    authorization = request.headers.authorization
    const question = Question.parse(await json(request))
    const name = /^query (\w+)/.exec(question.query)?.[1] ?? ''
    asked.push(name)
    await faults.before?.(name)
    const { hang, status, redirect, body, largest } = faults
    if (hang === true) return
    if (redirect !== undefined) response.writeHead(307, { location: redirect }).end()
    else if (status !== undefined) response.writeHead(status).end(body ?? 'no')
    else {
      const text = body ?? faults.instead?.(question.variables) ?? JSON.stringify(await answer(question))
      const isRefused = largest !== undefined && text.length > largest.bytes
      const told = isRefused
        ? JSON.stringify({ errors: [{ message: tooLarge(text.length, largest.bytes) }] })
        : text
      const isBy413 = isRefused && largest.by === 'proxy'
      response
        .writeHead(isBy413 ? 413 : 200, { 'content-type': 'application/json' })
        .end(isBy413 ? 'no' : told)
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
    answeredByNumber.clear()
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return node
}

function tooLarge(bytes: number, most: number): string {
  return `the result size of ${bytes} is larger than the allowed limit of ${most}`
}
