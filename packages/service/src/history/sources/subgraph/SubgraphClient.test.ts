import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { UpstreamRequest } from '@remit/engine/ports/nodes'
import { SourceError } from '@remit/engine/ports/source'
import { collectGarbage } from '@remit/testing/support/runner/collectGarbage'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { AnswerTooLargeError, SubgraphClient, SubgraphFailedError } from './SubgraphClient.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let answer: Handler
let arrivedElsewhere = 0
const server = createServer((request, response) => answer(request, response))
const elsewhere = createServer((_, response) => {
  arrivedElsewhere += 1
  response.end('{"data":{}}')
})
const urls: string[] = []

beforeAll(async () => {
  for (const each of [server, elsewhere]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
    const address = each.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    urls.push(`http://127.0.0.1:${address.port}/`)
  }
})
afterAll(async () => {
  for (const each of [server, elsewhere]) {
    each.closeAllConnections()
    await new Promise((resolve) => each.close(resolve))
  }
})
beforeEach(() => {
  arrivedElsewhere = 0
})

const makeClient = (url = urls[0] ?? '', timeoutMs = 5_000) =>
  new SubgraphClient({ url, apiKey: 'the key', chainId: 8453, timeoutMs })

const ask = (client: SubgraphClient, signal = new AbortController().signal) =>
  client.ask('query { a }', {}, z.object({ a: z.number() }), signal)

const says =
  (body: string, status = 200): Handler =>
  (_, response) =>
    response.writeHead(status).end(body)

test('gives data of the expected form', async () => {
  answer = says('{"data":{"a":1},"extensions":{}}')
  expect(await ask(makeClient())).toEqual({ a: 1 })
})

test('reports each request to the observer, by chain and never by its URL', async () => {
  const told: unknown[] = []
  const observer = { upstreamAsked: ({ durationMs: _, ...asked }: UpstreamRequest) => void told.push(asked) }
  const client = new SubgraphClient({
    url: urls[0] ?? '',
    apiKey: 'the key',
    chainId: 8453,
    timeoutMs: 5_000,
    observer,
  })
  answer = says('{"data":{"a":1}}')
  await ask(client)
  answer = says('no', 503)
  await expect(ask(client)).rejects.toThrow(SubgraphFailedError)
  const asked = { chainId: 8453, endpoint: 'subgraph' }
  expect(told).toEqual([
    { ...asked, failure: undefined },
    { ...asked, failure: 'unreachable' },
  ])
})

test.each<[string, Handler, string]>([
  ['a status of failure', says('{"data":{"a":1}}', 503), 'The subgraph of chain 8453 answers with HTTP 503.'],
  ['a refused key', says('', 401), 'The subgraph of chain 8453 refuses the API key.'],
  ['a page of HTML', says('<html>'), 'The subgraph of chain 8453 answers in no form of GraphQL.'],
  ['half an answer', says('{"data":{"a":1}'), 'The subgraph of chain 8453 answers in no form of GraphQL.'],
  [
    'errors beside the data',
    says('{"data":{"a":1},"errors":[{"message":"what?"}]}'),
    'The subgraph of chain 8453 answers with an error.',
  ],
  [
    'an error about the key',
    says('{"errors":[{"message":"auth error: API key not found"}]}'),
    'The subgraph of chain 8453 refuses the API key.',
  ],
  [
    'indexers that the gateway may not ask',
    says(
      '{"errors":[{"message":"bad indexers: {0x2f09: BadResponse(401 Unauthorized), 0x32bb: Unavailable(too far behind)}"}]}',
    ),
    'The subgraph of chain 8453 has nobody at present who serves it.',
  ],
  [
    'a subgraph that has only been deployed',
    says(
      '{"errors":[{"message":"Store error: query execution error: Subgraph `QmAuthor` has not started syncing yet. Wait for it to ingest a few blocks before querying it"}]}',
    ),
    'The subgraph of chain 8453 has not begun to read the chain.',
  ],
  [
    'an error about its schema',
    says('{"errors":[{"message":"Type `Query` has no field `subLogs`"}]}'),
    'The subgraph of chain 8453 has another schema than expected.',
  ],
])('says in words of its own what is wrong with %s', async (_, handler, sentence) => {
  answer = handler
  await expect(ask(makeClient())).rejects.toThrow(new SubgraphFailedError(sentence))
})

test.each<[string, Handler]>([
  [
    'graph-node',
    says(
      '{"errors":[{"message":"the result size of 33554433 is larger than the allowed limit of 33554432"}]}',
    ),
  ],
  ['a proxy before it', says('Payload Too Large', 413)],
])('tells an answer that is too large for %s from a refusal', async (_, handler) => {
  answer = handler
  const sentence = 'The subgraph of chain 8453 cannot give so large an answer.'
  await expect(ask(makeClient())).rejects.toThrow(new AnswerTooLargeError(sentence))
})

test('treats data of another form as a faulty subgraph', async () => {
  answer = says('{"data":{"a":"1"}}')
  const sentence = 'The subgraph of chain 8453 answers what its schema does not allow, at a.'
  await expect(ask(makeClient())).rejects.toThrow(new SourceError(sentence))
})

test('believes graph-node when it reports indexing errors', async () => {
  answer = says('{"data":{"a":1},"errors":[{"message":"indexing_error"}]}')
  await expect(ask(makeClient())).rejects.toThrow(SourceError)
})

test('follows no redirect, because the key would go there', async () => {
  answer = (_, response) => response.writeHead(307, { location: urls[1] }).end()
  await expect(ask(makeClient())).rejects.toThrow(
    /^The subgraph of chain 8453 cannot be reached \([\w ]+\)\.$/,
  )
  expect(arrivedElsewhere).toBe(0)
})

test('stops reading an answer that is too long', async () => {
  let written = 0
  answer = (_, response) => {
    const more = () => {
      if (response.destroyed || written > 64 * 1024 * 1024) return void response.end()
      written += 1024 * 1024
      response.write('x'.repeat(1024 * 1024), more)
    }
    more()
  }
  await expect(ask(makeClient())).rejects.toThrow(AnswerTooLargeError)
  expect(written).toBeLessThan(64 * 1024 * 1024)
})

test('does not wait longer than the timeout for the end of an answer, even after garbage collection', async () => {
  collectGarbage()
  answer = (_, response) => void response.writeHead(200).write('{"data":')
  await expect(ask(makeClient(undefined, 100))).rejects.toThrow('did not answer within 100 ms')
})

test('stops at once when the caller has left', async () => {
  const left = new AbortController()
  answer = () => left.abort(new Error('left'))
  await expect(ask(makeClient(), left.signal)).rejects.toThrow('left')
})

test.each(['ftp://127.0.0.1/', 'subgraph', 'http://user:secret@127.0.0.1/'])(
  'refuses to ask %j, and does not repeat it',
  (url) => {
    expect(() => makeClient(url)).toThrow(SourceError)
    expect(() => makeClient(url)).not.toThrow(/ftp|secret|user:/)
  },
)
