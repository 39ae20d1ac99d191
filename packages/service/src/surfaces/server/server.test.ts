import { connect, type Socket } from 'node:net'
import { json, type SmallAppOptions, smallApp } from '@remit/testing/support/app/smallApp'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from './server.ts'
import type { ServerLimits } from './serverLimits.ts'

const running: RunningServer[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(running.splice(0).map((server) => server.close(0)))
})

async function start(
  limits: Partial<ServerLimits> = {},
  options: SmallAppOptions = {},
): Promise<RunningServer> {
  const { app } = smallApp(options)
  const server = await startServer({
    fetch: app.fetch,
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
    limits,
  })
  running.push(server)
  return server
}

/** Sends raw bytes and collects what comes back until the other side closes, or until `enough` holds. */
function exchange(port: number, bytes: string | Buffer, enough?: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    sockets.push(socket)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (enough?.(text)) resolve(text)
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
}

const POST = 'POST /prepare/thing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const BODY = '{"from":"0x00000000000000000000000000000000000000aa","amountRaw":"1"}'

describe('a server', () => {
  it('answers over a socket, telling the app who is at the other end', async () => {
    const seen: (string | undefined)[] = []
    const { url } = await start(
      {},
      {
        identities: {
          identify: async ({ remoteAddress }) => {
            seen.push(remoteAddress)
            return { lane: 'free', id: 'x' }
          },
        },
      },
    )
    const response = await fetch(`${url}/things/latest`)
    expect(await response.json()).toMatchObject({ latest: true })
    expect((await fetch(`${url}/prepare/thing`, json(BODY))).status).toBe(200)
    expect(seen).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  it('joins a header that is sent twice, so that neither is chosen silently', async () => {
    const seen: (string | undefined)[] = []
    const { port } = await start(
      {},
      {
        identities: {
          identify: async ({ header }) => {
            seen.push(header('authorization'))
            return { lane: 'free', id: 'x' }
          },
        },
      },
    )
    const twice =
      'GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n'
    await exchange(port, twice, (text) => text.includes('\r\n\r\n'))
    expect(seen).toEqual(['Bearer a, Bearer b'])
  })

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['a malformed Host', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['a star', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_ERROR'],
    [
      'another host in absolute form',
      'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      403,
      'FORBIDDEN',
    ],
    ['two lengths', `${POST}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc`, 400, 'VALIDATION_ERROR'],
    [
      'a length beside chunks',
      `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'VALIDATION_ERROR',
    ],
    [
      'oversize headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\n${`X-Fill: ${'x'.repeat(8000)}\r\n`.repeat(6)}\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['an endless address', `GET /${'x'.repeat(60_000)}`, 414, 'URI_TOO_LONG'],
    [
      'a long address',
      `GET /${'x'.repeat(9000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      414,
      'URI_TOO_LONG',
    ],
    [
      'an announced body over the limit',
      `${POST}Content-Length: 99999999\r\nConnection: close\r\n\r\n{`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a chunk of no size', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 400, 'VALIDATION_ERROR'],
    [
      'chunks that break off',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n-5\r\n}\r\n0\r\n\r\n`,
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a whole body that a chunk of no size follows',
      `${POST}Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\nx\r\n`,
      400,
      'VALIDATION_ERROR',
    ],
    [
      'chunks over the limit',
      `${POST}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5)}`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('refuses %s in its own words, at once', async (_title, bytes, status, code) => {
    const { port } = await start()
    const begun = performance.now()
    const text = await exchange(port, bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text).toContain(`"code":"${code}"`)
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(text.toLowerCase()).toContain('x-service-lane: free')
    expect(text.toLowerCase()).toMatch(/x-request-id: [0-9a-f-]{36}/)
  })

  it('times out slow headers and slow bodies', async () => {
    const slowHeaders = await start({ headersTimeoutMs: 100, requestTimeoutMs: 100 })
    const slowBody = await start({}, { bodyTimeoutMs: 50 })
    const [headers, body] = await Promise.all([
      exchange(slowHeaders.port, 'GET / HTTP/1.1\r\nHost: local'),
      exchange(slowBody.port, `${POST}Content-Length: 10\r\n\r\n{`, (text) => text.includes('}')),
    ])
    expect(headers).toContain('REQUEST_TIMEOUT')
    expect(body).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('accepts an HTTP/1.0 probe without a Host', async () => {
    const { port } = await start({}, { allowedHosts: ['127.0.0.1'] })
    const text = await exchange(port, 'GET /things/latest HTTP/1.0\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    const { port: other } = await start({}, { allowedHosts: ['api.example'] })
    expect(await exchange(other, 'GET /things/latest HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('finishes an answer although garbage follows the request', async () => {
    const { port } = await start()
    const slow = '{"from":"0x00000000000000000000000000000000000000aa","amountRaw":"1","wait":true}'
    const text = await exchange(
      port,
      `${POST}Content-Length: ${slow.length}\r\n\r\n${slow}garbage garbage\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain('"amountRaw":"1"')
    expect(text.split('HTTP/1.1 ')).toHaveLength(2)
  })

  it('answers requests of one connection in their order', async () => {
    const { port } = await start()
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const text = await exchange(port, one('/things/latest') + one('/nothing'), (all) =>
      all.includes('NOT_FOUND'),
    )
    expect(text.indexOf('"latest":true')).toBeLessThan(text.indexOf('NOT_FOUND'))
  })

  it('does not wait for an Expect header, and ignores an unknown one', async () => {
    const { port } = await start()
    const bytes = `${POST}Expect: a-miracle\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
    expect(await exchange(port, bytes)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('logs nothing for a caller who hangs up', async () => {
    const { app, logged } = smallApp()
    const server = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
    running.push(server)
    const socket = connect(server.port, '127.0.0.1', () => socket.write(`${POST}Content-Length: 10\r\n\r\n{`))
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(logged).toEqual([])
  })
})

describe('closing', () => {
  const slow = json({ from: '0x00000000000000000000000000000000000000aa', amountRaw: '1', wait: true })

  it('lets what is running finish and takes nothing new', async () => {
    const server = await start()
    await fetch(`${server.url}/things/latest`)
    const answer = fetch(`${server.url}/prepare/thing`, slow)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const closed = server.close(5000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await exchange(server.port, '')).toBe('')
    expect((await answer).status).toBe(200)
    expect(await closed).toBe(0)
  })

  it('closes what stays idle after a second, and each of the others after its answer', async () => {
    const server = await start()
    const BODY_WAITING = '{"from":"0x00000000000000000000000000000000000000aa","amountRaw":"1","wait":true}'
    const closedAt = (bytes: string) =>
      exchange(server.port, bytes).then((text) => ({ text, at: performance.now() }))
    const idle = closedAt('GET /things/latest HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const silent = closedAt('')
    const halfAHead = closedAt('GET / HTTP/1.1\r\nHost: loc')
    const busy = closedAt(`${POST}Content-Length: ${BODY_WAITING.length}\r\n\r\n${BODY_WAITING}`)
    await new Promise((resolve) => setTimeout(resolve, 150))
    const begun = performance.now()
    expect(await server.close(5000)).toBe(0)
    for (const waiting of await Promise.all([idle, silent, halfAHead])) {
      expect(waiting.at - begun).toBeGreaterThan(900)
      expect(waiting.at - begun).toBeLessThan(10_000)
    }
    const { text, at } = await busy
    expect(at - begun).toBeGreaterThan(200)
    expect(at).toBeLessThan((await idle).at)
    expect(text).toContain('"amountRaw":"1"')
    expect(text.toLowerCase()).toContain('connection: close')
  })

  it('answers what comes on open connections, and says each time that it is the last', async () => {
    const server = await start()
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    let text = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(one('/things/latest')))
    sockets.push(socket)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    const ended = new Promise((resolve) => socket.on('close', resolve))
    await expect.poll(() => text).toContain('"latest":true')
    expect(text.toLowerCase()).not.toContain('connection: close')
    const closed = server.close(5000)
    await new Promise((resolve) => setTimeout(resolve, 500))
    text = ''
    socket.write(one('/things/latest') + one('/nothing'))
    await ended
    // Sent without waiting, both are answered: only the last one closes.
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
    expect(text.toLowerCase().match(/connection: close/g)).toHaveLength(1)
    expect(await closed).toBe(0)
  })

  it('cuts at the deadline', async () => {
    const server = await start()
    const answer = fetch(`${server.url}/prepare/thing`, slow)
    const failed = expect(answer).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await server.close(50)).toBe(1)
    await failed
  })
})
