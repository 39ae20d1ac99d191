import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from './server.ts'
import type { ServerLimits } from './serverLimits.ts'

const running: RunningServer[] = []
const clients: Client[] = []

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  await Promise.all(running.splice(0).map((server) => server.close(0)))
})

interface Client {
  readonly socket: Socket
  /** What has come back so far. */
  text(): string
  readonly closed: Promise<unknown>
}

/** @param answer instead of the small app's */
async function start(limits: Partial<ServerLimits>, answer?: () => Response) {
  const { app } = smallApp()
  let asked = 0
  let full = 0
  const onFull = () => {
    full += 1
  }
  const server = await startServer({
    fetch: async (request, peer) => {
      asked += 1
      return answer?.() ?? app.fetch(request, peer)
    },
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
    limits,
    onFull,
  })
  running.push(server)
  return { server, url: server.url, port: server.port, full: () => full, asked: () => asked }
}

async function open(port: number, bytes = ''): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const client = { socket, text: () => text, closed: once(socket, 'close').catch(() => {}) }
  clients.push(client)
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  return client
}

async function until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it never came to pass')
    await sleep(10)
  }
}

/** Large enough that a few thousand fill all buffers between the two, small enough to be kept by the thousand. */
const LARGE = 'x'.repeat(16_384)
const largely = () => new Response(LARGE)

/** A client that asks for megabytes, and reads nothing. Resolves once the server is stuck with them. */
async function deaf({ server, port, asked }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const client = await open(port)
  client.socket.pause()
  await until(() => server.connections().open === 1)
  client.socket.write(LATEST.repeat(20_000))
  for (let before = -1; asked() !== before || before === 0; await sleep(200)) before = asked()
  expect(asked()).toBeLessThan(20_000)
}

const HALF_A_HEAD = 'GET /things/latest HTTP/1.1\r\nHost: local'
const LATEST = 'GET /things/latest HTTP/1.1\r\nHost: localhost\r\n\r\n'
const POST =
  'POST /prepare/thing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: '
const WAITING = `{"from":"0x${'00'.repeat(20)}","amountRaw":"1","wait":true}`
/** A request that the small app works on for more than half a second. */
const SLOW = `${POST}${WAITING.length}\r\n\r\n${WAITING}`

describe('slow clients', () => {
  it('cannot hold a connection by headers that trickle, nor by sending nothing at all', async () => {
    const { port } = await start({ headersTimeoutMs: 300, requestTimeoutMs: 300, keepAliveTimeoutMs: 600 })
    const trickling = await open(port, HALF_A_HEAD)
    const silent = await open(port)
    const drip = setInterval(() => trickling.socket.write('x'), 50)
    await Promise.all([trickling.closed, silent.closed])
    clearInterval(drip)
    expect(trickling.text()).toContain('REQUEST_TIMEOUT')
    expect(silent.text()).toBe('')
  })

  it('that opened a connection before they had a request are answered when they have one', async () => {
    const { port } = await start({ headersTimeoutMs: 200, requestTimeoutMs: 200, keepAliveTimeoutMs: 2_000 })
    const early = await open(port)
    await sleep(900)
    for (let asked = 1; asked <= 2; asked += 1) {
      early.socket.write(LATEST)
      await until(() => early.text().split('"latest":true').length === asked + 1)
    }
    expect(early.text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
    // Half a request has no more time than elsewhere.
    early.socket.write(HALF_A_HEAD)
    await early.closed
    expect(early.text()).toContain('REQUEST_TIMEOUT')
  })

  it('that take long to be answered are not left in the middle for a connection that waited before', async () => {
    const { port } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 100, keepAliveTimeoutMs: 300 })
    const early = await open(port)
    await sleep(250)
    early.socket.write(SLOW)
    await until(() => early.text().includes('HTTP/1.1 200'))
  })

  it('cannot hold a connection by a body that trickles', async () => {
    const { port } = await start({ headersTimeoutMs: 300, requestTimeoutMs: 600 })
    const client = await open(port, `${POST}60000\r\n\r\n{"from":"`)
    const drip = setInterval(() => client.socket.write('x'), 50)
    await client.closed
    clearInterval(drip)
    expect(client.text()).not.toContain('HTTP/1.1 200')
  })

  it('cannot hold a connection by taking none of their answers', async () => {
    const started = await start({ sendTimeoutMs: 1_000 }, largely)
    const { server } = started
    await deaf(started)
    await until(() => server.connections().open === 0)
  })

  it('by the thousand keep nobody out', async () => {
    const { server, url, port } = await start({ headersTimeoutMs: 30_000, maxConnections: 4_000 })
    const held: Client[] = []
    while (held.length < 2_000) {
      const bytes = held.length % 200 === 0 ? '' : HALF_A_HEAD
      held.push(...(await Promise.all(Array.from({ length: 100 }, () => open(port, bytes)))))
    }
    await until(() => server.connections().open === 2_000)
    const begun = performance.now()
    for (let request = 0; request < 50; request += 1) {
      const response = await fetch(`${url}/things/latest`)
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
    expect((performance.now() - begun) / 50).toBeLessThan(500)
    expect(server.connections()).toMatchObject({ evicted: 0, refused: 0 })
    expect(held.every(({ socket }) => !socket.destroyed)).toBe(true)
  }, 20_000)
})

describe('the most connections', () => {
  it('let whoever waits longest give way to whoever comes', async () => {
    const { server, url, port, full } = await start({ maxConnections: 20 })
    const held: Client[] = []
    for (let index = 0; index < 20; index += 1)
      held.push(await open(port, index % 2 === 0 ? '' : HALF_A_HEAD))
    await until(() => server.connections().open === 20)

    expect((await fetch(`${url}/things/latest`)).status).toBe(200)
    await held[0]?.closed
    expect(server.connections()).toEqual({ open: 20, evicted: 1, refused: 0 })
    expect(held.slice(1).every(({ socket }) => !socket.destroyed)).toBe(true)
    // A flood of further ones only pushes out its own kind, and is told of once.
    for (let index = 0; index < 100; index += 1) await open(port)
    await until(() => server.connections().evicted >= 100)
    expect((await fetch(`${url}/things/latest`)).status).toBe(200)
    expect(server.connections().open).toBe(20)
    expect(full()).toBe(1)
  })

  it('make a body that never ends give way', async () => {
    const { server, url, port } = await start({ maxConnections: 3 })
    for (let index = 0; index < 3; index += 1) await open(port, `${POST}60000\r\n\r\n{`)
    await until(() => server.connections().open === 3)
    expect((await fetch(`${url}/things/latest`)).status).toBe(200)
    expect(server.connections().evicted).toBe(1)
  })

  it('make an answer that nobody takes give way', async () => {
    const started = await start({ maxConnections: 1 }, largely)
    const { server, url } = started
    await deaf(started)
    expect((await fetch(`${url}/things/latest`)).status).toBe(200)
    expect(server.connections()).toMatchObject({ evicted: 1, refused: 0 })
  })

  it('never cost anybody whose request is being worked on: the newcomer is told to come again', async () => {
    const { server, port } = await start({ maxConnections: 5 })
    const busy: Client[] = []
    for (let index = 0; index < 5; index += 1) busy.push(await open(port, SLOW))
    await sleep(100)
    const refused = await open(port, LATEST)
    await refused.closed
    expect(refused.text()).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused.text()).toContain('"code":"TOO_MANY_CONNECTIONS"')
    expect(refused.text().toLowerCase()).toContain('retry-after: 1')
    expect(refused.text().split('HTTP/1.1')).toHaveLength(2)
    await until(() => busy.every((client) => client.text().includes('"amountRaw":"1"')))
    expect(server.connections()).toMatchObject({ evicted: 0, refused: 1 })
    expect((await open(port, LATEST)).socket.destroyed).toBe(false)
  })

  it('keep a connection whose requests go on, however old it is', async () => {
    const { port } = await start({ maxConnections: 4 })
    const regular = await open(port, LATEST)
    await until(() => regular.text().includes('"latest":true'))
    for (let index = 0; index < 12; index += 1) {
      const before = regular.text().length
      await open(port)
      await open(port)
      regular.socket.write(LATEST)
      await until(() => regular.text().length > before)
    }
    expect(regular.socket.destroyed).toBe(false)
  })
})
