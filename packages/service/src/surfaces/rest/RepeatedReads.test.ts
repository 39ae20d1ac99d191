import { connect } from 'node:net'
import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError, UpstreamError } from '@remit/engine/errors/chain'
import { type SmallAppOptions, smallApp, smallChains } from '@remit/testing/support/app/smallApp'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { RateLimitedError } from '../../errors/access.ts'
import { type RunningServer, startServer } from '../server/server.ts'

const running: RunningServer[] = []
afterEach(() => Promise.all(running.splice(0).map((server) => server.close(0))))

/** How answers fail. */
let failing: 'not found' | 'error' | undefined
/** The day on every chain. Answers of another one are made anew. */
let today = 20_000
afterEach(() => {
  failing = undefined
  today = 20_000
})

const operations = [
  defineOperation({
    name: 'get_kept_thing',
    effect: 'read',
    kind: 'chain',
    access: 'read',
    summary: 'A thing of one block',
    rest: { method: 'GET', path: '/things/:id' },
    errors: [SubscriptionNotFoundError],
    input: z.object({ id: z.string(), large: z.boolean().optional() }),
    output: z.object({ id: z.string(), text: z.string(), error: z.string().optional() }),
    async atBlock({ input, chain }) {
      if (failing === 'not found') throw new SubscriptionNotFoundError(`0x${'1'.repeat(64)}`, chain.chainId)
      return {
        id: input.id,
        // ASCII and other text are written in two ways.
        text: (input.id === 'ascii' ? 'a' : 'ä').repeat(input.large === true ? 50_000 : 1),
        ...(failing === 'error' ? { error: 'The index is behind.' } : {}),
      }
    },
  }),
]

/** A server, with the addresses that were asked for with a request key that it did not know. */
async function start(options: SmallAppOptions = {}) {
  const chains = smallChains()
  const { app } = smallApp({
    operations,
    chains: {
      ...chains,
      withView: (chainId, asked, use) => chains.withView(chainId, asked, (view) => use({ ...view, today })),
    },
    ...options,
  })
  const whole: string[] = []
  const server = await startServer({
    fetch(request, peer) {
      whole.push(request.url.replace(/^https?:\/\/[^/]+/, ''))
      return app.fetch(request, peer)
    },
    repeat: app.repeat,
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
  })
  running.push(server)
  /** @param headers as lines, so that one can be there twice */
  const ask = (path: string, headers: readonly string[] = [], host = '127.0.0.1') =>
    exchange(server.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers])
  return { whole, ask }
}

/** Sends the lines of a request and returns the status, the headers in their order, and the body. */
function exchange(port: number, lines: readonly string[]) {
  return new Promise<{ status: number; headers: [string, string][]; body: string }>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const end = text.indexOf('\r\n\r\n')
      const [first = '', ...rest] = text.slice(0, end).split('\r\n')
      const headers = rest.map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ')
        return [name, value.join(': ')]
      })
      resolve({ status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) })
    })
  })
}

type Answered = Awaited<ReturnType<typeof exchange>>

/** What must not depend on the way that was gone. Each request has an id, a second and a block of its own. */
function alike({ status, headers, body }: Answered) {
  const own = new Set(['x-request-id', 'date'])
  return {
    status,
    headers: headers
      .map(([name, value]) => [name.toLowerCase(), own.has(name.toLowerCase()) ? '' : value])
      .sort(([a = ''], [b = '']) => a.localeCompare(b)),
    body: body.replace(/"blockNumber":\d+/, '').replace(/"requestId":"[^"]+"/, ''),
  }
}

describe('a read that is asked again with the same request key', () => {
  it.each(['/things/one', '/things/one?large=true', '/things/ascii', '/api/things/one?chainId=84532'])(
    'is answered as before, and its request is not parsed again: %s',
    async (path) => {
      const { whole, ask } = await start({ corsOrigins: ['https://app.example'] })
      const first = await ask(path)
      const again = await ask(path)
      expect(whole).toEqual([path])
      expect(first.status).toBe(200)
      expect(alike(again)).toEqual(alike(first))
      today += 1
      const next = await ask(path)
      expect(JSON.parse(next.body).asOf.blockNumber).toBeGreaterThan(JSON.parse(first.body).asOf.blockNumber)
      const etag = new Map(first.headers).get('ETag')
      const unchanged = await ask(path, [`If-None-Match: ${etag}`])
      expect([unchanged.status, unchanged.body, whole.length]).toEqual([304, '', 1])
      expect(new Map(unchanged.headers).get('ETag')).toBe(etag)
      const inOtherWords = await ask(path, [`If-None-Match: ${etag}`, 'Accept: application/json'])
      expect(whole).toHaveLength(2)
      expect(alike(unchanged)).toEqual(alike(inOtherWords))
    },
  )

  it('is refused and fails as it would the first time', async () => {
    const { whole, ask } = await start()
    await ask('/things/one')
    for (const how of ['not found', 'error'] as const) {
      failing = how
      today += 1
      const first = await ask(`/things/${how.length}`)
      const again = await ask('/things/one')
      expect(again.status).toBe(how === 'error' ? 200 : 404)
      expect(alike({ ...again, body: '' }).headers.filter(([name]) => name !== 'content-length')).toEqual(
        alike({ ...first, body: '' }).headers.filter(([name]) => name !== 'content-length'),
      )
      expect(Object.keys(JSON.parse(again.body))).toEqual(Object.keys(JSON.parse(first.body)))
    }
    expect(whole).toEqual(['/things/one', '/things/9', '/things/5'])
  })

  it('is identified and charged like the first', async () => {
    let left = 2
    const { whole, ask } = await start({
      identities: {
        identify: async ({ header }) => ({ lane: 'developer', id: header('x-api-key') ?? 'nobody' }),
      },
      charging: {
        admit: () => {},
        async take({ lane, id }) {
          const quota = { name: id, limit: 2, windowSeconds: 60, remaining: left - 1, resetSeconds: 9 }
          if (left === 0) {
            const refusal = { lane, bucket: 'globalRpm', limit: 2, retryAfterSeconds: 9, upgradeHint: null }
            throw new RateLimitedError({ ...refusal, quotas: [quota] })
          }
          left -= 1
          return { quotas: [quota], giveBack: async () => {} }
        },
      },
    })
    const told = async (name: string) => {
      const { status, headers } = await ask('/things/one', [`X-API-Key: ${name}`])
      return [status, new Map(headers).get('RateLimit')]
    }
    expect(await told('ada')).toEqual([200, '"ada";r=1;t=9'])
    expect(await told('eve')).toEqual([200, '"eve";r=0;t=9'])
    expect((await told('ada'))[0]).toBe(429)
    expect(whole).toHaveLength(1)
  })

  it('gives its units back where an upstream fails, but not to a caller that has left meanwhile', async () => {
    let givenBack = 0
    let begun = 0
    let ended = 0
    let end: ((error: Error) => void) | undefined
    const slow = defineOperation({
      name: 'get_slow_thing',
      effect: 'read',
      kind: 'chain',
      access: 'expensive',
      summary: 'A thing that fails late',
      rest: { method: 'GET', path: '/slow' },
      input: z.object({}),
      output: z.object({}),
      async atBlock() {
        begun += 1
        if (begun === 1) return {}
        return new Promise<never>((_, reject) => {
          end = reject
        })
      },
    })
    const { whole, ask } = await start({
      operations: [slow],
      charging: {
        admit: () => {},
        take: async () => ({
          quotas: [],
          giveBack: async () => {
            givenBack += 1
          },
        }),
      },
      observers: [
        {
          requestEnded() {
            ended += 1
          },
        },
      ],
    })
    const fail = () => end?.(new UpstreamError(31337))
    await ask('/slow')

    today += 1
    const waiting = ask('/slow')
    await expect.poll(() => begun).toBe(2)
    fail()
    expect((await waiting).status).toBe(502)
    expect(givenBack).toBe(1)

    today += 1
    const [server] = running
    const socket = connect(server?.port ?? 0, '127.0.0.1', () =>
      socket.write('GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'),
    )
    await expect.poll(() => begun).toBe(3)
    socket.destroy()
    await expect.poll(() => server?.connections().open, { timeout: 10_000 }).toBe(0)
    fail()
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(3)
    expect([givenBack, whole.length]).toEqual([1, 1])
  })

  it.each([
    ['another Accept header', ['Accept: text/html, application/json;q=0.9']],
    ['an Origin', ['Origin: https://app.example']],
    ['a key that is given twice', ['X-API-Key: a', 'X-API-Key: b']],
    ['a body', ['Content-Length: 0']],
  ])('goes the whole way with %s', async (_, headers) => {
    const { whole, ask } = await start({ corsOrigins: ['https://app.example'] })
    await ask('/things/one')
    await ask('/things/one', headers)
    expect(whole).toEqual(['/things/one', '/things/one'])
  })

  it('goes the whole way to a host that it was not asked at, which may be refused', async () => {
    const { whole, ask } = await start({ allowedHosts: ['127.0.0.1'] })
    await ask('/things/one')
    expect((await ask('/things/one', [], 'evil.example')).status).toBe(403)
    expect((await ask('/things/one', [], 'evil.example')).status).toBe(403)
    expect(whole).toHaveLength(3)
  })
})
