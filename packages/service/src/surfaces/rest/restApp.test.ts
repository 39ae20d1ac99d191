import { json, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import { RateLimitedError, UnauthorizedError } from '../../errors/access.ts'

const ID = `0x${'1'.repeat(64)}`
const FROM = '0x00000000000000000000000000000000000000aa'

async function refusal(response: Response) {
  const body: unknown = await response.json()
  return { status: response.status, body }
}

describe('routes', () => {
  const { call } = smallApp()

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

  it('looks at a spent minute before the body, and refuses what finds no route past it too', async () => {
    const spent = () => {
      const quotas = [{ name: 'globalRpm', limit: 20, windowSeconds: 60, remaining: 0, resetSeconds: 9 }]
      const told = { lane: 'free', bucket: 'globalRpm', limit: 20, retryAfterSeconds: 9, upgradeHint: null }
      throw new RateLimitedError({ ...told, quotas })
    }
    const { call } = smallApp({ charging: { admit: spent, take: spent } })
    for (const path of ['/nothing', '/things?chainId=x']) expect((await call(path)).status).toBe(429)
    expect((await call('/things/latest', { method: 'DELETE' })).status).toBe(429)
    const limited = await call('/prepare/thing', json('no JSON'))
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('9')
  })

  it('charges what it refuses like any request, and preflights nothing', async () => {
    const taken: string[] = []
    const { call } = smallApp({
      charging: {
        admit: () => {},
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

  it('cannot repeat what the path says', async () => {
    expect(await refusal(await call(`/things/${ID}?id=${ID}`))).toMatchObject({
      body: { issues: [{ path: 'id' }] },
    })
  })
})
