import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { json, type SmallAppOptions, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import { UnauthorizedError } from '../../errors/access.ts'

const FROM = '0x00000000000000000000000000000000000000aa'

const ACCEPT = { Accept: 'application/json, text/event-stream' }

/** One JSON-RPC message (or batch) as older clients post it. */
function post(options: SmallAppOptions, body: unknown, headers: Record<string, string> = {}) {
  return smallApp(options).call('/mcp', json(body, { ...ACCEPT, ...headers }))
}

const toolCall = (name: string, args: unknown, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** The messages of an answer, whether it is JSON or framed as events. */
async function messages(response: Response): Promise<unknown[]> {
  const text = await response.text()
  if (response.headers.get('content-type') === 'application/json') return [JSON.parse(text)]
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
}

describe('the endpoint', () => {
  it('gives its headers with every answer, the prefix or not', async () => {
    const { call } = smallApp()
    for (const path of ['/mcp', '/api/mcp']) {
      const response = await call(path, json(toolCall('only_a_tool', {}), ACCEPT))
      expect(response.status).toBe(200)
      expect(response.headers.get('x-service-lane')).toBe('free')
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('refuses bad credentials before the protocol', async () => {
    const identify = async () => {
      throw new UnauthorizedError('No.', { headers: { 'WWW-Authenticate': 'Bearer' } })
    }
    const response = await post({ identities: { identify } }, toolCall('only_a_tool', {}))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it.each(['GET', 'DELETE', 'PUT'])('has no sessions: %s is 405', async (method) => {
    const response = await smallApp().call('/mcp', { method, headers: ACCEPT })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  function noting() {
    const taken: string[] = []
    const charging: SmallAppOptions['charging'] = {
      admit: () => {},
      take: async (_identity, metering, buckets) => {
        taken.push([metering, ...buckets].join('+'))
        return { quotas: [], giveBack: async () => {} }
      },
    }
    return { taken, charging }
  }

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['one in a batch', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
    ['a tool call without an id', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'only_a_tool' } }],
    ['an answer that nobody waits for', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('takes a unit of the minute for %s, which it answers with nothing', async (_what, body) => {
    const { taken, charging } = noting()
    const response = await post({ charging }, body)
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(taken).toEqual(['message'])
  })

  it('takes a unit of the minute for each request, whatever else stands in it', async () => {
    const { taken, charging } = noting()
    const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'prompts/list', result: {} })
    await post({ charging }, [request(1), request(2), request(3)])
    expect(taken.filter((cost) => cost === 'message')).toHaveLength(3)
  })

  it('answers each call of an old batch, and charges each as what it calls', async () => {
    const { taken, charging } = noting()
    const batch = [
      toolCall('prepare_thing', { from: FROM, amountRaw: '1' }, 1),
      toolCall('get_latest_thing', {}, 2),
      toolCall('nothing', {}, 3),
      { jsonrpc: '2.0', id: 4, method: 'ping' },
      // Would leave the first call without an answer, and the connection open.
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]
    const answers = await messages(await post({ charging }, batch))
    expect(answers).toHaveLength(4)
    expect(taken.slice(0, 5)).toEqual(Array(5).fill('message'))
    expect(taken.slice(5).toSorted()).toEqual(['call', 'call', 'call+write'])
  })

  it('says of initialize in a version that has none that there is no such method', async () => {
    const meta = (name: string) => `io.modelcontextprotocol/${name}`
    const params = {
      _meta: { [meta('protocolVersion')]: '2026-07-28', [meta('clientCapabilities')]: {} },
    }
    const body = { jsonrpc: '2.0', id: 'i', method: 'initialize', params }
    const response = await post({}, body, {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'initialize',
    })
    expect(response.status).toBe(404)
    const [answer] = await messages(response)
    expect(answer).toMatchObject({ id: 'i', error: { code: -32601 } })
  })

  it.each([
    [undefined, 'params'],
    [null, 'params'],
    [[], 'params'],
    [{}, 'params.protocolVersion'],
    [{ protocolVersion: '2025-06-18', capabilities: {} }, 'params.clientInfo'],
    [{ protocolVersion: '2025-06-18', capabilities: 5, clientInfo: {} }, 'params.capabilities'],
  ])('blames the caller for initialize with the parameters %j', async (params, named) => {
    const initialize = { jsonrpc: '2.0', id: 'i', method: 'initialize', params }
    for (const body of [initialize, [initialize]]) {
      const response = await post({}, body)
      expect(response.status).toBe(400)
      const [answer] = await messages(response)
      expect(answer).toMatchObject({
        id: 'i',
        error: { code: -32602, message: expect.stringContaining(`\`${named}\``) },
      })
    }
  })

  it.each([
    ['prompts/get', { name: 'subscribe', arguments: [] }, 'params.arguments'],
    ['prompts/get', { name: 'subscribe', arguments: { wallet: 1 } }, 'params.arguments.wallet'],
    ['prompts/get', undefined, 'params'],
    ['completion/complete', {}, 'params.ref'],
    ['completion/complete', { ref: { type: 'ref/tool' } }, 'params.ref.type'],
    ['resources/read', { uri: 5 }, 'params.uri'],
    ['tools/list', { cursor: 1 }, 'params.cursor'],
  ])('blames the caller for %s with the parameters %j', async (method, params, named) => {
    const [answer] = await messages(await post({}, { jsonrpc: '2.0', id: 'i', method, params }))
    expect(answer).toMatchObject({
      id: 'i',
      error: { code: -32602, message: expect.stringContaining(`\`${named}\``) },
    })
  })

  it('refuses what its address says and nobody reads, by name', async () => {
    const taken: string[] = []
    const charging: SmallAppOptions['charging'] = {
      admit: () => {},
      take: async (_identity, metering) => {
        taken.push(metering)
        return { quotas: [], giveBack: async () => {} }
      },
    }
    for (const [query, path] of [
      ['chainId=8453', 'chainId'],
      ['a=1&b=2', 'a'],
      ['a=1&a=2', 'a'],
      ['__proto__=1', '__proto__'],
    ]) {
      const init = json(toolCall('only_a_tool', {}), ACCEPT)
      const response = await smallApp({ charging }).call(`/mcp?${query}`, init)
      expect([query, response.status]).toEqual([query, 400])
      expect(await response.json()).toMatchObject({
        code: 'VALIDATION_ERROR',
        issues: [{ path }, ...(query === 'a=1&b=2' ? [{ path: 'b' }] : [])],
      })
    }
    expect(taken).toHaveLength(4)
    expect((await smallApp().call('/mcp?', json(toolCall('only_a_tool', {}), ACCEPT))).status).toBe(200)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('answers a list from bytes that are made once, by %s too', async (coding, decompress) => {
    const { call } = smallApp()
    const list = (id: unknown, headers = {}) =>
      call('/mcp?tools=all', json({ jsonrpc: '2.0', id, method: 'tools/list' }, { ...ACCEPT, ...headers }))
    const plain = await (await list(1)).text()
    const again = await list(1, { 'Accept-Encoding': coding })
    expect(again.headers.get('content-encoding')).toBe(coding)
    expect(again.headers.get('vary')).toContain('Accept-Encoding')
    expect(decompress(Buffer.from(await again.arrayBuffer())).toString()).toBe(plain)
    // Another id is another answer.
    expect(await messages(await list('two'))).toMatchObject([{ id: 'two' }])
  })

  it('refuses headers that name another message, also where its answer is kept', async () => {
    const { call } = smallApp()
    const meta = (name: string) => `io.modelcontextprotocol/${name}`
    const _meta = { [meta('protocolVersion')]: '2026-07-28', [meta('clientCapabilities')]: {} }
    const list = { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: { _meta } }
    const ask = async (named: Record<string, string>) => {
      const headers = { ...ACCEPT, 'MCP-Protocol-Version': '2026-07-28', ...named }
      return (await call('/mcp', json(list, headers))).status
    }
    const [right, wrong] = [{ 'Mcp-Method': 'prompts/list' }, { 'Mcp-Method': 'tools/list' }]
    const statuses = [await ask(right), await ask(right), await ask(wrong), await ask({}), await ask(right)]
    expect(statuses).toEqual([200, 200, 400, 400, 200])
  })

  it('tells what a caller got wrong as that, and not as an error of the server', async () => {
    const completion = {
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/prompt', name: 'subscribe' },
        argument: { name: 'subscription', value: '0x' },
        context: { arguments: { chainId: '77' } },
      },
    }
    const [answer] = await messages(await post({}, completion))
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining('`chainId`') } })
  })

  it('takes no stream of changes, since nothing changes', async () => {
    const listen = { jsonrpc: '2.0', id: 'x', method: 'subscriptions/listen', params: { notifications: {} } }
    expect(await messages(await post({}, listen))).toMatchObject([{ id: 'x', error: { code: -32601 } }])
  })

  it('refuses arguments that are nested too deep or say a thing twice, as results', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    for (const args of [`{"first":${deep}}`, '{"first":1,"first":2}']) {
      const body = JSON.stringify(toolCall('search_things', 'ARGS')).replace('"ARGS"', args)
      const [answer] = await messages(await post({}, body))
      expect(answer).toMatchObject({
        result: { isError: true, structuredContent: { code: 'VALIDATION_ERROR' } },
      })
    }
  })

  it.each<[string, unknown, Record<string, string>, number]>([
    ['no JSON', '{', {}, 400],
    ['no message', 'null', {}, 400],
    ['an empty batch', '[]', {}, 400],
    ['nothing', '', {}, 400],
    ['another type', '{}', { 'Content-Type': 'text/plain' }, 415],
    ['too much', `{"x":"${'x'.repeat(66_000)}"}`, {}, 413],
    [
      'a batch that is too long',
      Array.from({ length: 101 }, (_, id) => toolCall('only_a_tool', {}, id)),
      {},
      400,
    ],
    ['arguments that are no object', toolCall('only_a_tool', 5), {}, 200],
    ['arguments in a text that is no object', toolCall('only_a_tool', '[{}]'), {}, 200],
    [
      'an unknown protocol version',
      toolCall('only_a_tool', {}),
      { 'MCP-Protocol-Version': '1999-01-01' },
      400,
    ],
  ])('refuses %s', async (_title, body, headers, status) => {
    const response = await post({}, body, headers)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain('error')
  })
})
