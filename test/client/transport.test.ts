import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, NetworkError, TimeoutError, UnexpectedAnswerError } from '@remit/client'
import { MAX_ANSWER_BYTES } from '@remit/client/testing/request/exchange'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What the server does next, and what it was asked. */
let handle: Handler = (_, response) => response.end()
const asked: IncomingMessage[] = []

const server = createServer((request, response) => {
  asked.push(request)
  handle(request, response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// Safe: it listens on a port, not on a pipe.
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked.length = 0
})

const json =
  (body: unknown): Handler =>
  (_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(body))
  }

const client = createClient({ url, apiKey: 'svc_1', retries: 0 })

describe('an attempt', () => {
  it.each<[string, Handler]>([
    ['no answer at all', () => {}],
    ['headers and no body', (_, response) => response.writeHead(200).flushHeaders()],
    ['a body that never ends', (_, response) => response.writeHead(200).write('{')],
  ])('is aborted after timeoutMs with %s', async (_what, handler) => {
    handle = handler
    const call = client.getReady({}, { timeoutMs: 500 })
    await expect(call).rejects.toThrow(TimeoutError)
    await expect(call).rejects.toThrow(`${url} did not answer within 500 ms.`)
    await expect.poll(() => asked[0]?.destroyed).toBe(true)
  })

  it('is aborted in the middle of an answer even if fetch ignores its signal', async () => {
    const unending = new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) })
    const deaf = createClient({ url, retries: 0, fetch: async () => new Response(unending) })
    await expect(deaf.getReady({}, { timeoutMs: 200 })).rejects.toThrow(TimeoutError)
  })

  it('is ended by the signal with its reason, and its connection is closed', async () => {
    handle = (_, response) => response.writeHead(200).write('{')
    const aborting = new AbortController()
    const call = client.getReady({}, { signal: aborting.signal })
    await expect.poll(() => asked).toHaveLength(1)
    const reason = new Error('The page was left')
    aborting.abort(reason)
    await expect(call).rejects.toBe(reason)
    await expect.poll(() => asked[0]?.destroyed).toBe(true)
  })

  it('removes its listener from a signal that outlives it', async () => {
    handle = json({ ready: true })
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    for (let index = 0; index < 3; index += 1) await client.getReady({}, { signal })
    expect(removed.mock.calls.length).toBe(added.mock.calls.length)
    expect(added.mock.calls.length).toBeGreaterThan(0)
  })

  it('fails with a named error if nobody listens', async () => {
    const call = createClient({ url: 'http://127.0.0.1:9', retries: 0 }).getReady()
    await expect(call).rejects.toThrow(NetworkError)
    await expect(call).rejects.toThrow(/^http:\/\/127\.0\.0\.1:9 could not be reached/)
  })

  it('fails with a named error if the connection breaks within the body', async () => {
    handle = (request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{"ready"')
      setTimeout(() => request.socket.destroy(), 20)
    }
    await expect(client.getReady()).rejects.toThrow(NetworkError)
  })
})

describe('waiting for another attempt', () => {
  it('lasts as long as the service says, and the call then succeeds', async () => {
    handle = (request, response) => {
      handle = json({ ready: true })
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: 'Draining.', code: 'SHUTTING_DOWN', requestId: request.url }))
    }
    const began = performance.now()
    expect(await client.getReady({}, { retries: 1 })).toEqual({ ready: true })
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
  })

  it('is ended by the signal', async () => {
    handle = (_, response) => response.writeHead(503, { 'Retry-After': '30' }).end('away')
    const aborting = new AbortController()
    const call = client.getReady({}, { retries: 1, signal: aborting.signal })
    call.catch(() => {})
    await expect.poll(() => asked).toHaveLength(1)
    await delay(50)
    aborting.abort(new Error('Enough'))
    await expect(call).rejects.toThrow('Enough')
  })
})

it('sends no key to the target of a redirect', async () => {
  const elsewhere = vi.fn<Handler>((_, response) => response.end())
  const other = createServer(elsewhere)
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const place = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  handle = (_, response) => response.writeHead(307, { Location: `${place}/ready` }).end()
  const withBasicAuth = createClient({
    url,
    apiKey: 'svc_1',
    basicAuth: { user: 'a', password: 'b' },
    retries: 0,
  })
  for (const one of [client, withBasicAuth]) {
    await expect(one.getReady()).rejects.toThrow(`${url} redirects to ${place}/ready`)
  }
  expect(elsewhere).not.toHaveBeenCalled()
  other.close()
})

it('stops reading an answer that is longer than the service’s can be', async () => {
  let written = 0
  handle = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const more = () => {
      while (!response.destroyed) {
        written += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
    }
    more()
  }
  await expect(client.getReady()).rejects.toThrow(UnexpectedAnswerError)
  await expect.poll(() => asked[0]?.destroyed).toBe(true)
  expect(written).toBeLessThan(4 * MAX_ANSWER_BYTES)
})

it('sends JSON and the key, and reads non-ASCII text unchanged', async () => {
  let body = ''
  handle = (request, response) => {
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      response.writeHead(422, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: 'Kaffee für 3 €', code: 'NOT_READY', requestId: 'r' }))
    })
  }
  const call = client.prepareEditDetails({
    from: '0x1',
    id: '0x2',
    details: { url: '', description: '☕ für alle' },
  })
  await expect(call).rejects.toThrow('Kaffee für 3 €')
  expect(JSON.parse(body)).toMatchObject({ details: { description: '☕ für alle' } })
  expect(asked[0]?.headers).toMatchObject({
    authorization: 'Bearer svc_1',
    'content-type': 'application/json',
  })
})
