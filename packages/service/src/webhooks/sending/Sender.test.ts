import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { Sender, type SenderOptions } from './Sender.ts'

const servers: Server[] = []
const senders: Sender[] = []
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close()
  for (const server of servers.splice(0)) server.close()
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Safe: a server that listens on TCP has such an address.
  return (server.address() as AddressInfo).port
}

function serve(answer: RequestListener): Promise<number> {
  return listen(createServer(answer))
}

function senderWith(options: Partial<SenderOptions> = {}): Sender {
  const sender = new Sender({ allowLoopback: true, timeoutMs: 500, ...options })
  senders.push(sender)
  return sender
}

const post = (sender: Sender, url: string, body = '{}') =>
  sender.post({ url: new URL(url), headers: { 'Content-Type': 'application/json' }, body })

describe('the address of a name', () => {
  it.each([
    ['private', ['10.0.0.1']],
    ['of this machine', ['127.0.0.1']],
    ['of metadata', ['169.254.169.254']],
    ['IPv4-mapped', ['::ffff:93.184.216.34']],
    ['6to4', ['2002:7f00:1::']],
    ['good and bad', ['93.184.216.34', '192.168.0.1']],
    ['bad and good', ['fd00::1', '2606:4700::1111']],
  ])('is refused where it is %s, before anything is connected', async (_what, addresses) => {
    const sender = senderWith({ allowLoopback: false, resolve: async () => addresses })
    expect(await post(sender, 'https://hooks.example/')).toMatchObject({ failure: 'forbidden_address' })
  })

  it('is asked for once, and connected to as it was judged: it cannot change in between', async () => {
    let asked = 0
    const port = await serve((_, response) => response.end('ok'))
    // The first answer is good, and all later ones are not.
    const sender = senderWith({
      resolve: async () => {
        asked += 1
        return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254']
      },
    })
    expect(await post(sender, `http://hooks.example:${port}/`)).toMatchObject({ status: 200 })
    expect(asked).toBe(1)
  })

  it('is a failure where there is none, or nobody says', async () => {
    const none = senderWith({ resolve: async () => [] })
    expect(await post(none, 'https://hooks.example/')).toMatchObject({ failure: 'name' })
    const away = senderWith({
      resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' })),
    })
    expect(await post(away, 'https://hooks.example/')).toMatchObject({ failure: 'name', detail: 'ESERVFAIL' })
    const silent = senderWith({ resolve: () => new Promise(() => {}) })
    expect(await post(silent, 'https://hooks.example/')).toMatchObject({ failure: 'timeout' })
  })

  it('is never of this machine over http, unless that is allowed', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const strict = senderWith({ allowLoopback: false })
    expect(await post(strict, `http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'forbidden_address' })
    const lax = senderWith({ resolve: async () => ['93.184.216.34'] })
    expect(await post(lax, 'http://hooks.example/')).toMatchObject({ failure: 'forbidden_address' })
  })
})

describe('an answer', () => {
  it('is kept up to 1 KB, without control characters, and read up to 16 KB', async () => {
    const port = await serve((_, response) => response.end(`\u0000${'é'.repeat(1_000_000)}`))
    const outcome = await post(senderWith(), `http://127.0.0.1:${port}/`)
    expect(outcome).toMatchObject({ status: 200 })
    if (!('answer' in outcome)) throw new Error('no answer')
    expect(Buffer.byteLength(outcome.answer)).toBeLessThanOrEqual(1_026)
    expect(outcome.answer).toMatch(/^ é+/)
  })

  it('that leads elsewhere is not followed', async () => {
    let followed = false
    const other = await serve((_, response) => {
      followed = true
      response.end()
    })
    const port = await serve((_, response) =>
      response.writeHead(307, { Location: `http://127.0.0.1:${other}/` }).end(),
    )
    expect(await post(senderWith(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 307 })
    expect(followed).toBe(false)
  })

  it.each<[string, RequestListener, object]>([
    ['never comes', () => {}, { failure: 'timeout' }],
    [
      'drips',
      (_, response) => void setInterval(() => response.write('.'), 50).unref(),
      { failure: 'timeout' },
    ],
    [
      'breaks off',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '9' }).write('x')
        setTimeout(() => response.destroy(), 20)
      },
      { failure: 'connection' },
    ],
    ['is a closed connection', (request) => request.destroy(), { failure: 'connection' }],
  ])('that %s is a failure within the time', async (_what, answer, expected) => {
    const port = await serve(answer)
    const began = performance.now()
    expect(await post(senderWith(), `http://127.0.0.1:${port}/`)).toMatchObject(expected)
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('that switches protocols is an answer like another, and no success', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const port = await listen(
      createRawServer((socket) => void socket.once('data', () => socket.write(switching))),
    )
    expect(await post(senderWith(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 101, answer: '' })
  })

  it('says when to come back, in seconds or as a date', async () => {
    for (const [header, least] of [
      ['120', 120],
      [new Date(Date.now() + 60_000).toUTCString(), 55],
    ] as const) {
      const port = await serve((_, response) => response.writeHead(503, { 'Retry-After': header }).end())
      const outcome = await post(senderWith(), `http://127.0.0.1:${port}/`)
      if (!('status' in outcome)) throw new Error('no answer')
      expect(outcome.retryAfterSeconds).toBeGreaterThanOrEqual(least)
    }
  })

  it('is sent once more where an idle connection was closed meanwhile', async () => {
    let requests = 0
    const server = createServer((request, response) => {
      requests += 1
      // The second request on a connection meets its end.
      if (requests === 2) request.socket.resetAndDestroy()
      else response.end('ok')
    })
    const port = await listen(server)
    const sender = senderWith()
    expect(await post(sender, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await post(sender, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
    expect(requests).toBe(3)
  })
})

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-tls-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('names the host in SNI and Host, connects to its address, and checks the certificate for the name', async () => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example']
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
    ]
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
    const seen: unknown[] = []
    const server = createSecureServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (request, response) => {
        const { socket } = request
        seen.push(request.headers.host, 'servername' in socket ? socket.servername : undefined)
        response.end('ok')
      },
    )
    const port = await listen(server)
    const ca = readFileSync(cert, 'utf8')
    const trusting = senderWith({ resolve: async () => ['127.0.0.1'], ca })
    expect(await post(trusting, `https://hooks.example:${port}/`)).toMatchObject({ status: 200 })
    expect(seen).toEqual([`hooks.example:${port}`, 'hooks.example'])
    const other = await post(trusting, `https://other.example:${port}/`)
    expect(other).toMatchObject({ failure: 'connection', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    const strict = senderWith({ resolve: async () => ['127.0.0.1'] })
    expect(await post(strict, `https://hooks.example:${port}/`)).toMatchObject({ failure: 'connection' })
  })
})
