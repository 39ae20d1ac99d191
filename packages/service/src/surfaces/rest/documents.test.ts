import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { json, type SmallAppOptions, smallApp } from '@remit/testing/support/app/smallApp'
import { limitedApp, taken } from '@remit/testing/support/limits/limitedApp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import { UnauthorizedError } from '../../errors/access.ts'
import type { EndedRequest } from '../../ports/telemetry.ts'

const POLICY = "default-src 'none'; script-src 'self'"
const TEXT = 'Read me first. '.repeat(200)

const documents: readonly ServedDocument[] = [
  {
    name: 'docs',
    path: '/docs',
    contentType: 'text/html; charset=utf-8',
    contentSecurityPolicy: POLICY,
    cache: 'revalidate',
    metering: 'metered',
    render: () => '<!doctype html><title>Docs</title>',
  },
  {
    name: 'docs',
    path: '/docs/start.md',
    contentType: 'text/markdown; charset=utf-8',
    cache: 'revalidate',
    metering: 'metered',
    render: () => TEXT,
  },
  {
    name: 'docs_asset',
    path: '/docs/assets/1/script.js',
    contentType: 'text/javascript; charset=utf-8',
    cache: 'immutable',
    metering: 'counted',
    render: () => new TextEncoder().encode('alert(1)'),
  },
]

const app = (options: SmallAppOptions = {}) => smallApp({ documents, ...options })
const limited = (options: SmallAppOptions = {}) => limitedApp({ documents, ...options })

async function code(response: Response): Promise<string> {
  return z.object({ code: z.string() }).parse(await response.json()).code
}

describe('a document', () => {
  it.each(['/docs', '/api/docs'])('is served at %s as what it is', async (path) => {
    const response = await app().call(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toBe('<!doctype html><title>Docs</title>')
  })

  it('carries the headers of every answer, and its own policy', async () => {
    const { headers } = await limited().call('/docs')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('x-service-lane')).toBe('free')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toBe(POLICY)
    expect(headers.get('vary')).toBe('Accept, Authorization, X-API-Key, Accept-Encoding')
    expect(taken(headers)).toEqual(['globalRpm', 'dailyTotalRequests'])
    const { headers: plain } = await app().call('/docs/start.md')
    expect(plain.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it('answers HEAD and OPTIONS, and no other method', async () => {
    const { call } = app()
    const head = await call('/docs', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const options = await call('/docs', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await call('/api/docs', json({}))
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await code(post)).toBe('METHOD_NOT_ALLOWED')
  })

  it('is kept by its ETag, which stays the same for the same content', async () => {
    const first = await app().call('/docs/start.md')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await app().call('/docs/start.md', { headers: { 'If-None-Match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    const page = await app().call('/docs', { headers: { 'If-None-Match': etag } })
    expect(page.status).toBe(200)
  })

  it('may be kept by anybody for a year where it never changes', async () => {
    const { headers } = await app().call('/docs/assets/1/script.js')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('is compressed for who accepts it, and for nobody else', async () => {
    const { call } = app()
    const codings = [
      ['br;q=1, gzip;q=0.8', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0, x-gzip', 'gzip', gunzipSync],
    ] as const
    for (const [accepted, coding, decompress] of codings) {
      const packed = await call('/docs/start.md', { headers: { 'Accept-Encoding': accepted } })
      expect(packed.headers.get('content-encoding')).toBe(coding)
      expect(decompress(new Uint8Array(await packed.arrayBuffer())).toString()).toBe(TEXT)
    }
    for (const accepted of [undefined, 'identity', 'gzip;q=0', 'gzip ; q=0.000, br;q=0']) {
      const headers: Record<string, string> = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
      const plain = await call('/docs/start.md', { headers })
      expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, TEXT])
    }
  })

  it('is given in its one form to whoever asks, whatever is accepted', async () => {
    const response = await app().call('/docs/start.md', { headers: { Accept: 'application/json' } })
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  })

  it('is judged as everything is: credentials, then chainId, then what is asked', async () => {
    const identities = { identify: () => Promise.reject(UnauthorizedError.key()) }
    const refused = await app({ identities }).call('/docs?chainId=x')
    expect([refused.status, await code(refused)]).toEqual([401, 'UNAUTHORIZED'])
    const { call } = app()
    const issues = async (response: Response) => [response.status, await response.json()]
    expect(await issues(await call('/docs?chainId=1'))).toMatchObject([
      400,
      { issues: [{ path: 'chainId' }] },
    ])
    expect(await issues(await call('/docs?x=1'))).toMatchObject([400, { issues: [{ path: 'x' }] }])
    expect((await call('/docs?chainId=84532')).status).toBe(200)
    expect((await call('/docs/none.md')).status).toBe(404)
  })

  it('is refused once the minute is spent, while what its page loads is only counted', async () => {
    const { call } = limited()
    for (let view = 0; view < 20; view += 1) expect((await call('/docs')).status).toBe(200)
    const refused = await call('/docs')
    expect([refused.status, await code(refused)]).toEqual([429, 'RATE_LIMITED'])
    const asset = await call('/docs/assets/1/script.js')
    expect([asset.status, taken(asset.headers)]).toEqual([200, ['dailyTotalRequests']])
    expect(asset.headers.get('ratelimit')).toContain('"dailyTotalRequests";r=479;')
  })

  it('costs what a request that does not fit costs, where it does not fit', async () => {
    const { headers } = await limited().call('/docs/assets/1/script.js?x=1')
    expect(taken(headers)).toEqual(['globalRpm', 'dailyTotalRequests'])
  })

  it('is told to observers by its name and path', async () => {
    const ended: EndedRequest[] = []
    const { call } = limited({ observers: [{ requestEnded: (request) => ended.push(request) }] })
    await call('/api/docs/start.md', { method: 'HEAD' })
    expect(ended).toMatchObject([
      { operation: 'docs', method: 'HEAD', route: '/docs/start.md', status: 200, lane: 'free' },
    ])
  })
})
