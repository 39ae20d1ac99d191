import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { RequestTrace, tracedChains } from '@remit/service/testing/calls/RequestTrace'
import { serve } from '@remit/testing/support/service/serve'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { BatchSender, PostFailedError } from './BatchSender.ts'
import { AnswerTooLongError } from './boundedFetch.ts'
import { NodeLimits } from './limits/NodeLimits.ts'

const Request = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
type Request = z.output<typeof Request>
interface Response {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

/** What the node does with a HTTP request. A single request comes as such, and not as a batch of one. */
let node: (requests: Request[], isBatch: boolean) => Response
let sizes: number[] = []
let headers: IncomingHttpHeaders = {}
const nodeUrl = await serve(async (request, response) => {
  headers = request.headers
  const body: unknown = JSON.parse(await text(request))
  const requests = z.array(Request).parse([body].flat())
  sizes.push(requests.length)
  const { status = 200, headers: more = {}, body: answer } = node(requests, Array.isArray(body))
  response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(answer))
})
beforeEach(() => {
  sizes = []
})

/** Answers each request with its first parameter. */
const answered = (requests: Request[]) => requests.map(({ id, params }) => ({ id, result: params[0] }))
const answersAll = (requests: Request[], isBatch: boolean) => {
  const all = answered(requests)
  return { body: isBatch ? all : all[0] }
}

function open(set = {}) {
  const limits = new NodeLimits({ set })
  const observer = tracedChains()
  const sender = new BatchSender({ url: nodeUrl, timeoutMs: 2_000, limits, observer })
  const ask = async (count: number) => {
    const sent = await Promise.all(Array.from({ length: count }, (_, n) => sender.send('echo', [n])))
    return sent.map(({ answer }) => z.object({ result: z.unknown() }).parse(answer).result)
  }
  return { limits, sender, ask }
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('a request to a node', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
  const PARENT = '00f067aa0ba902b7'

  it('goes on in the trace of the request that it is made for, with another parent', async () => {
    node = answersAll
    const { ask } = open()
    const trace = new RequestTrace({ traceparent: `00-${TRACE}-${PARENT}-01` })
    await trace.run(() => ask(2))
    expect(headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`))
    await new RequestTrace().run(() => ask(1))
    expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })

  it('is of no trace where it is nobody’s', async () => {
    node = answersAll
    const { ask } = open()
    await ask(1)
    expect(headers.traceparent).toBeUndefined()
    // What a request has left running, as one that wakes the watch of the head.
    const trace = new RequestTrace()
    await trace.run(async () => {
      trace.ended()
      await ask(1)
    })
    expect(headers.traceparent).toBeUndefined()
  })
})

describe('a batch that is refused for its size', () => {
  const refusals: readonly [string, (requests: Request[]) => Response][] = [
    [
      'geth',
      ([first]) => ({ body: [{ id: first?.id, error: { code: -32600, message: 'batch too large' } }] }),
    ],
    [
      'dRPC',
      (requests) => ({
        status: 500,
        body: requests.map(({ id }) => ({
          id,
          error: { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
        })),
      }),
    ],
    [
      'besu',
      () => ({
        status: 400,
        body: {
          id: null,
          error: { code: -32602, message: 'Number of requests in batch exceeds --rpc-max-batch-size.' },
        },
      }),
    ],
    ['nginx', () => ({ status: 413, body: 'no' })],
    ['a gateway with a body of its own', () => ({ status: 400, body: { error: 'too many at a time' } })],
    ['a gateway that says nothing', () => ({ status: 400, body: '' })],
    ['a gateway that says so with 500', () => ({ status: 500, body: { message: 'no arrays, please' } })],
    [
      'a node with an unknown error text',
      () => ({ body: { id: null, error: { code: -32600, message: 'no' } } }),
    ],
  ]

  it.each(refusals)('by %s is sent again in smaller ones, and the size is known then', async (_, refuse) => {
    node = (requests, isBatch) => (requests.length > 3 ? refuse(requests) : answersAll(requests, isBatch))
    const { ask, limits } = open()
    expect(await ask(20)).toEqual(upTo(20))
    expect(limits.most('batch')).toBeLessThanOrEqual(3)
    sizes = []
    expect(await ask(6)).toEqual(upTo(6))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3)
    expect(sizes.length).toBeLessThanOrEqual(3)
  })

  it('by a node that takes none at all is sent one by one', async () => {
    node = (requests, isBatch) =>
      isBatch
        ? {
            body: {
              id: null,
              error: { code: -32005, message: 'Batched requests are not supported by this server' },
            },
          }
        : answersAll(requests, isBatch)
    const { ask, limits } = open()
    expect(await ask(5)).toEqual(upTo(5))
    expect(limits.most('batch')).toBe(1)
  })

  it('by a gateway that takes none, in a body of its own, is sent one by one from then on', async () => {
    node = (requests, isBatch) =>
      isBatch
        ? { status: 400, body: { error: 'batch requests are not supported' } }
        : answersAll(requests, isBatch)
    const { ask, limits } = open()
    expect(await ask(7)).toEqual(upTo(7))
    expect(limits.most('batch')).toBe(1)
    sizes = []
    expect(await ask(3)).toEqual(upTo(3))
    expect(sizes).toEqual([1, 1, 1])
  })

  it('is as large as is set', async () => {
    node = answersAll
    const { ask } = open({ batch: 4 })
    await ask(10)
    expect(sizes.toSorted()).toEqual([2, 4, 4])
  })
})

it('a body that is too long is sent in parts, and the length is known then', async () => {
  const most = 50_000
  node = (requests, isBatch) =>
    JSON.stringify(requests).length > most ? { status: 413, body: 'no' } : answersAll(requests, isBatch)
  const { sender, limits } = open()
  const long = 'x'.repeat(10_000)
  const ask = () => Promise.all(Array.from({ length: 12 }, () => sender.send('echo', [long])))
  expect(await ask()).toHaveLength(12)
  expect(limits.most('batch')).toBeUndefined()
  expect(limits.most('body')).toBeLessThanOrEqual(most * 1.3)
  expect(limits.most('body')).toBeGreaterThan(10_000)
})

it('answers that are too long together are asked for again in smaller batches', async () => {
  node = (requests, isBatch) => {
    if (!isBatch) return answersAll(requests, isBatch)
    const tooLong = { error: { code: -32003, message: 'response too large' } }
    return { body: answered(requests).map((answer, n) => (n < 2 ? answer : { id: answer.id, ...tooLong })) }
  }
  const { ask } = open()
  expect(await ask(9)).toEqual(upTo(9))
})

it('one bound stands for what an answer may hold: 15 MiB are read, and 17 are refused by name', async () => {
  let mebibytes = 15
  node = ([request]) => ({ body: { id: request?.id, result: 'x'.repeat(mebibytes * 1024 * 1024) } })
  const url = nodeUrl
  const sender = new BatchSender({ url, timeoutMs: 20_000, limits: new NodeLimits({ set: {} }) })
  const { answer } = await sender.send('large', [])
  expect(z.object({ result: z.string() }).parse(answer).result.length).toBe(15 * 1024 * 1024)
  mebibytes = 17
  await expect(sender.send('large', [])).rejects.toThrow(AnswerTooLongError)
})

it('answers are matched by their ids', async () => {
  node = (requests) => ({ body: answered(requests).toReversed() })
  expect(await open().ask(5)).toEqual(upTo(5))
})

it('answers in a loose dress are answers: nulls, ids as texts, in any order, twice, and strange ones', async () => {
  node = (requests, isBatch) => {
    const all = answered(requests).map(({ id, result }) => ({ id: String(id), result, error: null }))
    const stranger = { id: 'another', error: { code: -32_000, message: 'of another request' } }
    return { body: isBatch ? [stranger, ...all.toReversed(), all[0]] : all[0] }
  }
  const { ask, limits } = open()
  expect(await ask(5)).toEqual(upTo(5))
  expect(await ask(1)).toEqual([0])
  expect(limits.most('batch')).toBeUndefined()
})

it('a revert is an answer whatever the HTTP status, and any other error with 500 is none', async () => {
  let message = 'execution reverted: 6'
  node = ([request]) => ({ status: 500, body: { id: request?.id, error: { code: 3, message } } })
  const { sender } = open()
  expect((await sender.send('a', [])).answer.error).toMatchObject({ message })
  message = 'busy'
  node = ([request]) => ({ status: 500, body: { id: request?.id, error: { code: -32_000, message } } })
  await expect(sender.send('a', [])).rejects.toBeInstanceOf(PostFailedError)
})

it('answers of one HTTP request can be told from others', async () => {
  node = answersAll
  const { sender } = open({ batch: 2 })
  const posts = await Promise.all([0, 1, 2].map(async (n) => (await sender.send('echo', [n])).post))
  expect(posts[0]).toBe(posts[1])
  expect(posts[2]).not.toBe(posts[0])
})

describe('what every request is refused with', () => {
  it('is each one’s answer, and teaches nothing of batches', async () => {
    const error = { code: -32000, message: 'no' }
    node = () => ({ body: { id: null, error } })
    const { sender, limits } = open()
    const sent = await Promise.all([sender.send('a', []), sender.send('b', []), sender.send('c', [])])
    expect(sent.map(({ answer }) => answer)).toMatchObject([{ error }, { error }, { error }])
    expect(limits.most('batch')).toBeUndefined()
    expect(sizes).toEqual([3, 1])
  })

  it('is a failure where too many requests came, with the time to wait', async () => {
    node = () => ({ status: 429, headers: { 'retry-after': '3' }, body: 'no' })
    const failed = await open()
      .sender.send('a', [])
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(PostFailedError)
    expect(failed).toMatchObject({ status: 429, hit: { kind: 'rate', waitMs: 3_000 } })
  })
})

it('a name and a password in the URL are sent as a header', async () => {
  node = answersAll
  const limits = new NodeLimits()
  const url = `${nodeUrl.replace('://', '://user:p%40ss@')}/path`
  await new BatchSender({ url, timeoutMs: 2_000, limits }).send('echo', [1])
  expect(headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
})
