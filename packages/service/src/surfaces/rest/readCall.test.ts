import { json, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'

const FROM = '0x00000000000000000000000000000000000000aa'

async function refusal(response: Response) {
  const body: unknown = await response.json()
  return { status: response.status, body }
}

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

describe('what is posted and changes nothing, asked by GET', () => {
  const { call } = smallApp()
  const good = `/prepare/thing?from=${FROM}&amountRaw=1`

  it.each(['', '&details.url=a%2Bb+c%26d', '&wait=false', '&chainId=84532&minBlock=3'])(
    'takes its input from the query: %s',
    async (more) => {
      const response = await call(good + more)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(response.headers.get('etag')).toBeNull()
      expect(await response.json()).toMatchObject({ amountRaw: '1' })
    },
  )

  it.each([
    ['&extra=1', 'extra'],
    ['&from=x', 'from'],
    ['&amountRaw=2', 'amountRaw'],
    ['&details.more=1&details.url=', 'details.more'],
    ['&details=x', 'details'],
    ['&details=x&details.url=', 'details'],
    ['&details.url=&details.url=x', 'details.url'],
    ['&details.=x', 'details.url'],
    ['&details.url.x=', 'details.url'],
    ['&from.x=1', 'from.x'],
    ['&.=1', '.'],
    ['&__proto__.x=1', '__proto__.x'],
    ['&details.__proto__=x&details.url=', 'details.__proto__'],
    ['&wait=1', 'wait'],
  ])('refuses %s, naming %s', async (more, path) => {
    expect(await refusal(await call(good + more))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: expect.arrayContaining([expect.objectContaining({ path })]) },
    })
  })

  it('is offered beside POST, to pages of allowed origins too', async () => {
    const { call } = smallApp({ corsOrigins: ['https://agent.example'] })
    const headers = { Origin: 'https://agent.example' }
    const options = await call('/prepare/thing', { method: 'OPTIONS', headers })
    expect(options.headers.get('access-control-allow-methods')).toBe('POST, GET, HEAD, OPTIONS')
    const read = await call(good, { headers })
    expect(read.headers.get('access-control-allow-origin')).toBe('https://agent.example')
  })

  it.each([
    ['a picture, a script or a prefetch', 'no-cors', 'image', 403],
    ['a frame', 'navigate', 'iframe', 403],
    ['a link that is opened', 'navigate', 'document', 200],
    ['what a page fetches', 'cors', 'empty', 200],
  ])('answers %s of a browser as it deserves', async (_title, mode, dest, status) => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest }
    expect((await call(good, { headers })).status).toBe(status)
  })

  it('is JSON, and refused to who takes nothing but HTML', async () => {
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
    expect((await call(good, { headers: { Accept: browser } })).headers.get('content-type')).toBe(
      'application/json',
    )
    expect((await call(good, { headers: { Accept: 'text/html' } })).status).toBe(406)
  })
})
