import { describe, expect, it } from 'vitest'
import { json, smallApp } from '../../../test/support/smallApp.ts'
import { RateLimitedError, UnauthorizedError } from '../../errors/access.ts'

const ID = `0x${'1'.repeat(64)}`
const FROM = '0x00000000000000000000000000000000000000aa'

async function refusal(response: Response) {
  const body: unknown = await response.json()
  return { status: response.status, body }
}

describe('routes', () => {
  const { call } = smallApp()

  it('serves every path with and without the /api prefix', async () => {
    for (const path of [
      '/things/latest',
      '/api/things/latest',
      `/things/${ID}`,
      `/api/things/${ID}`,
      '/api',
      '/',
    ]) {
      expect((await call(path)).status, path).toBe(200)
    }
  })

  it('prefers a fixed word to a parameter, whatever the order of the list', async () => {
    expect(await (await call('/things/latest')).json()).toMatchObject({ latest: true })
  })

  it('answers compact JSON with the block it was read at', async () => {
    const response = await call(`/things/${ID}`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
    expect(JSON.parse(text)).toMatchObject({
      id: ID,
      amountRaw: (2n ** 200n).toString(),
      chainId: 31337,
      asOf: { blockHash: `0x${'ab'.repeat(32)}` },
    })
  })

  it('answers HEAD as GET without a body', async () => {
    const head = await call('/things/latest', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toBe((await call('/things/latest')).headers.get('etag'))
    expect(await head.text()).toBe('')
  })

  it('tells the methods of a path', async () => {
    const wrong = await call('/things/latest', { method: 'PUT' })
    expect(await refusal(wrong)).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await call('/prepare/thing')).headers.get('allow')).toBe('POST, OPTIONS')
    const asked = await call('/api/prepare/thing', { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('allow'), await asked.text()]).toEqual([204, 'POST, OPTIONS', ''])
  })

  it.each(['/nothing', '/things/latest/', '//things', '/api/api/things', '/only_a_tool', '/api/nothing?x=1'])(
    'knows no %s',
    async (path) => {
      expect(await refusal(await call(path))).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    },
  )

  it('refuses a malformed percent-encoding and decodes a sound one', async () => {
    expect(await refusal(await call('/things/%ZZ'))).toMatchObject({ status: 400 })
    expect((await call(`/things/%30x${'1'.repeat(64)}`)).status).toBe(200)
    expect(await refusal(await call('/things/a%2Fb'))).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'id' }] },
    })
  })

  it('refuses an address of more than 8 KiB', async () => {
    expect(await refusal(await call(`/things?owner=${'a'.repeat(9000)}`))).toMatchObject({
      status: 414,
      body: { code: 'URI_TOO_LONG' },
    })
  })
})

describe('the order of checks', () => {
  it('asks for credentials before anything else', async () => {
    const { call } = smallApp({
      identities: {
        identify: async () => {
          throw new UnauthorizedError('No.', { headers: { 'WWW-Authenticate': 'Bearer' } })
        },
      },
    })
    const response = await call('/nothing?chainId=x')
    expect(await refusal(response)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('x-service-lane')).toBe('free')
  })

  it.each([
    ['/things/latest', 'x'],
    ['/nothing', '0'],
    ['/catalog', '1e3'],
    ['/catalog', ''],
    ['/', '999'],
    ['/prepare/thing', '8453'],
    ['/things', 'eip155:08453'],
  ])('judges chainId before the route of %s (%s)', async (path, chainId) => {
    const { call } = smallApp()
    expect(await refusal(await call(`${path}?chainId=${chainId}`))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path: 'chainId' }] },
    })
  })

  it('refuses a chainId that is given twice', async () => {
    const { call } = smallApp()
    expect((await call('/things?chainId=31337&chainId=84532')).status).toBe(400)
  })

  it('takes a chain as decimal and as CAIP-2', async () => {
    const { call } = smallApp()
    for (const chainId of ['84532', 'eip155:84532']) {
      expect(await (await call(`/things/latest?chainId=${chainId}`)).json()).toMatchObject({ chainId: 84532 })
    }
  })

  it('finds the route before a spent minute, and a spent minute before the body', async () => {
    const spent = async () => {
      throw new RateLimitedError('Spent.', { headers: { 'Retry-After': '9' } })
    }
    const { call } = smallApp({ charging: { admit: spent, take: spent } })
    expect((await call('/nothing')).status).toBe(404)
    expect((await call('/things/latest', { method: 'DELETE' })).status).toBe(405)
    expect((await call('/things?chainId=x')).status).toBe(400)
    const limited = await call('/prepare/thing', json('no JSON'))
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('9')
  })

  it('charges what it refuses like any request, and preflights nothing', async () => {
    const taken: string[] = []
    const { call } = smallApp({
      charging: {
        admit: async () => {},
        take: async (_identity, metering, buckets) => {
          taken.push([metering, ...buckets].join('+'))
          const quota = { name: 'globalRpm', limit: 20, windowSeconds: 60, remaining: 19, resetSeconds: 41 }
          return { quotas: [quota], giveBack: async () => {} }
        },
      },
    })
    await call('/nothing')
    await call('/things?chainId=x')
    await call('/prepare/thing', json('no JSON'))
    await call('/things', { method: 'OPTIONS' })
    await call('/')
    const answered = await call('/prepare/thing', json({ from: FROM, amountRaw: '1' }))
    expect(taken).toEqual(['metered', 'metered', 'metered', 'counted', 'metered+write'])
    expect(answered.headers.get('ratelimit-policy')).toBe('"globalRpm";q=20;w=60')
    expect(answered.headers.get('ratelimit')).toBe('"globalRpm";r=19;t=41')
  })
})

describe('query strings', () => {
  const { call } = smallApp()

  it('become numbers and booleans where the schema asks for them', async () => {
    const response = await call(`/things?first=3&frequency=0&cancelled=false&owner=${FROM}`)
    expect(await response.json()).toMatchObject({
      heard: {
        first: 3,
        frequency: 0,
        cancelled: false,
        owner: '0x00000000000000000000000000000000000000AA',
      },
    })
  })

  it.each([
    ['first=abc', 'first'],
    ['first=', 'first'],
    ['first=1.5', 'first'],
    ['first=1e1', 'first'],
    ['first=+3', 'first'],
    ['first=99999999999999999999', 'first'],
    ['first=3&first=4', 'first'],
    ['frequency=4', 'frequency'],
    ['cancelled=yes', 'cancelled'],
    ['cancelled=1', 'cancelled'],
    ['cancelled=TRUE', 'cancelled'],
    ['owner=0x12', 'owner'],
    ['nothing=1', 'nothing'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['minBlock=x', 'minBlock'],
    ['minBlock=-1', 'minBlock'],
  ])('refuse %s by the name of the field', async (query, path) => {
    expect(await refusal(await call(`/things?${query}`))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path }] },
    })
  })

  it('take minBlock only where a chain is read by GET', async () => {
    expect((await call('/things/latest?minBlock=5')).status).toBe(200)
    expect((await call('/catalog?minBlock=5')).status).toBe(400)
    expect((await call('/prepare/thing?minBlock=5', json({ from: FROM, amountRaw: '1' }))).status).toBe(400)
  })

  it('cannot repeat what the path says', async () => {
    expect(await refusal(await call(`/things/${ID}?id=${ID}`))).toMatchObject({
      body: { issues: [{ path: 'id' }] },
    })
  })
})

describe('bodies', () => {
  const { call } = smallApp({ bodyTimeoutMs: 100 })
  const good = { from: FROM, amountRaw: '1' }

  it('are decoded by the schema, and the answer carries its request id', async () => {
    const response = await call(
      '/prepare/thing?chainId=84532',
      json(good, { 'Content-Type': 'application/json; charset=UTF-8' }),
    )
    expect(await response.json()).toEqual({
      from: '0x00000000000000000000000000000000000000AA',
      amountRaw: '1',
      requestId: response.headers.get('x-request-id'),
      chainId: 84532,
      asOf: expect.anything(),
    })
  })

  it.each<[string, RequestInit, number, string]>([
    ['malformed JSON', json('{"from":'), 400, 'VALIDATION_ERROR'],
    ['nothing', json(''), 400, 'VALIDATION_ERROR'],
    ['an array', json([good]), 400, 'VALIDATION_ERROR'],
    ['null', json(null), 400, 'VALIDATION_ERROR'],
    ['a text', json('"x"'), 400, 'VALIDATION_ERROR'],
    ['an unknown field', json({ ...good, extra: 1 }), 400, 'VALIDATION_ERROR'],
    ['chainId', json({ ...good, chainId: 31337 }), 400, 'VALIDATION_ERROR'],
    [
      '__proto__',
      json('{"from":"0x00000000000000000000000000000000000000aa","amountRaw":"1","__proto__":{"x":1}}'),
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a name given twice',
      json(`{"from":"${FROM}","amountRaw":"1","amountRaw":"2"}`),
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a name given twice in two spellings',
      json(`{"from":"${FROM}","amountRaw":"1","\\u0061mountRaw" : "2"}`),
      400,
      'VALIDATION_ERROR',
    ],
    ['deep nesting', json(`{"from":${'['.repeat(5000)}${']'.repeat(5000)}}`), 400, 'VALIDATION_ERROR'],
    ['invalid UTF-8', { ...json(''), body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, 'VALIDATION_ERROR'],
    ['too much', json({ ...good, from: 'x'.repeat(66_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['another type', json(good, { 'Content-Type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form', { method: 'POST', body: new URLSearchParams(good) }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', { method: 'POST' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'another charset',
      json(good, { 'Content-Type': 'application/json; charset=utf-16' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['compression', json(good, { 'Content-Encoding': 'gzip' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('are refused: %s', async (_title, init, status, code) => {
    expect(await refusal(await call('/prepare/thing', init))).toMatchObject({ status, body: { code } })
  })

  it('may be 64 KiB, counted in bytes', async () => {
    const fill = 65_536 - JSON.stringify({ ...good, details: { url: '' } }).length
    const exact = await call('/prepare/thing', json({ ...good, details: { url: 'x'.repeat(fill) } }))
    const over = await call('/prepare/thing', json({ ...good, details: { url: `é${'x'.repeat(fill - 1)}` } }))
    expect([exact.status, over.status]).toEqual([200, 413])
  })

  it('are counted while they stream in, and given up when they trickle', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(9000)) })
    const stuck = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    const post = (body: ReadableStream) =>
      call('/prepare/thing', { ...json(''), body, duplex: 'half' } as RequestInit)
    expect((await post(endless)).status).toBe(413)
    expect(await refusal(await post(stuck))).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } })
  })
})

describe('errors', () => {
  it('of a resource are told in one shape', async () => {
    const { call, logged } = smallApp()
    const id = `0x${'1'.repeat(63)}0`
    const response = await call(`/things/${id}`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await refusal(response)).toEqual({
      status: 404,
      body: {
        error: `There is no subscription ${id} on chain 31337.`,
        code: 'NOT_FOUND',
        requestId: response.headers.get('x-request-id'),
        id,
      },
    })
    expect(logged).toEqual([])
  })

  it('of an upstream go to the log without its URL, and to the caller without their cause', async () => {
    const { call, logged } = smallApp()
    const response = await call(`/things/0x${'1'.repeat(63)}9`)
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('rpc.example')
    const requestId = response.headers.get('x-request-id')
    expect(logged).toMatchObject([{ facts: { requestId, code: 'UPSTREAM_ERROR' } }])
    expect(JSON.stringify(logged)).not.toContain('secret-key')
  })

  it('of our own are a 500 that tells nothing', async () => {
    const { call, logged } = smallApp()
    const response = await call(`/things/0x${'1'.repeat(63)}8`)
    expect(await refusal(response)).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } })
    expect(JSON.stringify(logged)).toContain('a broken promise')
  })
})

describe('negotiation', () => {
  const { call } = smallApp()
  const get = (accept: string, path = '/things/latest') => call(path, { headers: { Accept: accept } })

  it.each(['*/*', 'application/*', 'application/json;q=0.1', 'text/plain, */*;q=0.1', 'nonsense', ''])(
    'answers JSON to Accept: %s',
    async (accept) => {
      expect((await get(accept)).headers.get('content-type')).toBe('application/json')
    },
  )

  it.each(['text/html', 'application/json;q=0', 'application/json;q=0, */*', 'image/png'])(
    'refuses Accept: %s, in JSON all the same',
    async (accept) => {
      expect(await refusal(await get(accept))).toMatchObject({
        status: 406,
        body: { code: 'NOT_ACCEPTABLE' },
      })
    },
  )

  it('shows a browser the same facts as an escaped page', async () => {
    const page = await get('text/html,application/xhtml+xml,*/*;q=0.8', '/')
    const text = await page.text()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("style-src 'sha256-")
    expect(text).toContain('<h1>Small &amp; &lt;simple&gt;</h1>')
    expect(text).toContain('<a href="http://localhost:3000/catalog">')
    expect((await get('*/*', '/')).headers.get('content-type')).toBe('application/json')
  })
})

describe('caching', () => {
  const { call } = smallApp()

  it('holds an answer fresh while its facts are, whatever the block and the latency', async () => {
    const first = await call(`/things/${ID}`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await call(`/things/${ID}`, { headers: { 'If-None-Match': `"x", ${etag}` } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect(again.headers.get('x-request-id')).toBeTruthy()
    const other = await call(`/things/${ID}?chainId=84532`, { headers: { 'If-None-Match': etag } })
    expect(other.status).toBe(200)
  })

  it('never keeps a POST, an error, or an answer with an `error`', async () => {
    const responses = [
      await call('/prepare/thing', json({ from: FROM, amountRaw: '1' })),
      await call('/nothing'),
      await call('/things?first=7'),
    ]
    for (const response of responses) {
      expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
        'no-store',
        null,
      ])
    }
  })
})
