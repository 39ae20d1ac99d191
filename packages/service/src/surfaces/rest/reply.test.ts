import { json, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'

const ID = `0x${'1'.repeat(64)}`
const FROM = '0x00000000000000000000000000000000000000aa'

async function refusal(response: Response) {
  const body: unknown = await response.json()
  return { status: response.status, body }
}

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
