import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { json, type SmallAppOptions, smallApp } from '../../../test/support/smallApp.ts'
import { UnauthorizedError } from '../../errors/access.ts'
import { type RunningServer, startServer } from '../http/server.ts'

const FROM = '0x00000000000000000000000000000000000000aa'
const ID = `0x${'1'.repeat(64)}`

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

const VERSIONS = [
  ['the newest version', { mode: { pin: '2026-07-28' } }],
  ['older versions', { mode: 'legacy' }],
  ['a negotiated version', { mode: 'auto' }],
] as const

describe.each(VERSIONS)('a client of %s', (_title, versionNegotiation) => {
  let server: RunningServer
  let client: Client
  const { app, call } = smallApp()

  beforeEach(async () => {
    server = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
  })

  afterEach(async () => {
    await client.close()
    await server.close(1000)
  })

  it('is told what this is', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'small', version: '0.0.1' })
    expect(client.getInstructions()).toContain('unsigned transactions')
  })

  it('finds every operation that is a tool, with truthful hints', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_routes',
      'get_thing',
      'search_things',
      'get_latest_thing',
      'prepare_thing',
      'only_a_tool',
    ])
    expect(tools.find(({ name }) => name === 'prepare_thing')?.annotations).toEqual({
      title: 'Prepare thing',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    })
  })

  it('gets the body of REST, as structured content and as text', async () => {
    const result = await client.callTool({ name: 'search_things', arguments: { first: 3, owner: FROM } })
    const rest: unknown = await (await call(`/things?first=3&owner=${FROM}`)).json()
    expect(result.isError).toBeFalsy()
    expect(result.structuredContent).toEqual({ ...Object(rest), asOf: expect.anything() })
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
  })

  it('gets the error of REST as a result, which it does not measure by the output schema', async () => {
    await client.listTools()
    const result = await client.callTool({ name: 'get_thing', arguments: { id: `0x${'1'.repeat(63)}0` } })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toMatchObject({ code: 'NOT_FOUND', requestId: expect.any(String) })
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
  })

  it.each([
    ['an unknown field', 'get_thing', { id: ID, extra: 1 }, 'extra'],
    ['a wrong type', 'search_things', { first: '3' }, 'first'],
    ['a missing field', 'get_thing', {}, 'id'],
    ['an unknown chain', 'get_latest_thing', { chainId: 1 }, 'chainId'],
    ['a chain that is not for tools', 'get_latest_thing', { chainId: '8453' }, 'chainId'],
    ['no chain id', 'get_latest_thing', { chainId: 1.5 }, 'chainId'],
    ['no chain id either', 'get_latest_thing', { chainId: null }, 'chainId'],
    ['a bad block', 'get_latest_thing', { minBlock: '5' }, 'minBlock'],
    ['a block on a prepare', 'prepare_thing', { from: FROM, amountRaw: '1', minBlock: 5 }, 'minBlock'],
  ])('is told by name of %s', async (_title, name, args, path) => {
    const result = await client.callTool({ name, arguments: args })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] })
  })

  it('names a chain as a number, as decimal and as CAIP-2', async () => {
    for (const chainId of [84532, '84532', 'eip155:84532']) {
      const result = await client.callTool({ name: 'get_latest_thing', arguments: { chainId, minBlock: 1 } })
      expect(result.structuredContent).toMatchObject({ chainId: 84532 })
    }
  })

  it('is refused an unknown tool by the protocol', async () => {
    await expect(client.callTool({ name: 'get_home', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })
})

it('describes a tool as its operation is declared', async () => {
  const response = await post({}, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const [answer] = await messages(response)
  const { tools } = Object(Object(answer).result)
  expect(tools.find(({ name }: { name: string }) => name === 'get_thing')).toMatchInlineSnapshot(`
    {
      "annotations": {
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": true,
        "readOnlyHint": true,
        "title": "Get thing",
      },
      "description": "One thing by its id. The id ends in 9 for a chain that fails.",
      "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "additionalProperties": false,
        "properties": {
          "chainId": {
            "anyOf": [
              {
                "description": "Chain to use, as decimal ("8453") or CAIP-2 ("eip155:8453"). Default: the default chain.",
                "pattern": "^(eip155:)?[1-9]\\d{0,15}$",
                "type": "string",
              },
              {
                "description": "The same as a number.",
                "exclusiveMinimum": 0,
                "maximum": 9007199254740991,
                "type": "integer",
              },
            ],
          },
          "id": {
            "description": "Subscription id: 32 bytes as 0x-prefixed hex.",
            "pattern": "^0x[0-9a-fA-F]{64}$",
            "type": "string",
          },
          "minBlock": {
            "description": "Wait up to 2 s until this block has been seen, so that a wallet reads its own writes.",
            "maximum": 9007199254740991,
            "minimum": 0,
            "type": "integer",
          },
        },
        "required": [
          "id",
        ],
        "type": "object",
      },
      "name": "get_thing",
      "outputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
          "amountRaw": {
            "pattern": "^(0|[1-9]\\d{0,77})$",
            "type": "string",
          },
          "asOf": {
            "properties": {
              "blockHash": {
                "description": "Block hash: 32 bytes as 0x-prefixed hex.",
                "pattern": "^0x[0-9a-fA-F]{64}$",
                "type": "string",
              },
              "blockNumber": {
                "maximum": 9007199254740991,
                "minimum": 0,
                "type": "integer",
              },
              "timestamp": {
                "description": "Unix time in seconds.",
                "maximum": 9007199254740991,
                "minimum": 0,
                "type": "integer",
              },
            },
            "required": [
              "blockNumber",
              "blockHash",
              "timestamp",
            ],
            "type": "object",
          },
          "chainId": {
            "description": "EIP-155 chain id.",
            "exclusiveMinimum": 0,
            "maximum": 9007199254740991,
            "type": "integer",
          },
          "id": {
            "description": "Subscription id: 32 bytes as 0x-prefixed hex.",
            "pattern": "^0x[0-9a-fA-F]{64}$",
            "type": "string",
          },
          "latencyMs": {
            "type": "number",
          },
          "warnings": {
            "description": "Only where there is something to mind.",
            "items": {
              "additionalProperties": {},
              "description": "A non-fatal hint, with facts beside its code.",
              "properties": {
                "code": {
                  "type": "string",
                },
                "message": {
                  "type": "string",
                },
              },
              "required": [
                "code",
                "message",
              ],
              "type": "object",
            },
            "type": "array",
          },
        },
        "required": [
          "id",
          "amountRaw",
          "latencyMs",
          "chainId",
          "asOf",
        ],
        "type": "object",
      },
      "title": "Get thing",
    }
  `)
})

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

  it('answers each call of an old batch, and charges each as what it calls', async () => {
    const taken: string[] = []
    const charging: SmallAppOptions['charging'] = {
      admit: async () => {},
      take: async (_identity, metering, buckets) => {
        taken.push([metering, ...buckets].join('+'))
        return { quotas: [], giveBack: async () => {} }
      },
    }
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
    expect(taken.toSorted()).toEqual(['metered', 'metered', 'metered', 'metered+write'])
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
