import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../server/server.ts'

const FROM = '0x00000000000000000000000000000000000000aa'
const ID = `0x${'1'.repeat(64)}`

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
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp?tools=all`)))
  })

  afterEach(async () => {
    await client.close()
    await server.close(0)
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

  it('gets an answer in words where its operation has them, and its warnings and block with them', async () => {
    const { content } = await client.callTool({ name: 'get_latest_thing', arguments: {} })
    const text = expect.stringMatching(/^The latest thing is there\.\nRead on chain 31337 at block \d+\.$/)
    expect(content).toEqual([{ type: 'text', text }])
  })

  it('gets the error of REST as a result, which it does not measure by the output schema', async () => {
    await client.listTools()
    const result = await client.callTool({ name: 'get_thing', arguments: { id: `0x${'1'.repeat(63)}0` } })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toMatchObject({ code: 'NOT_FOUND', requestId: expect.any(String) })
    expect(result.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^NOT_FOUND: There is no subscription/) },
    ])
  })

  it.each([
    ['an unknown field', 'get_thing', { id: ID, extra: 1 }, 'extra'],
    ['a wrong type', 'search_things', { first: 'three' }, 'first'],
    ['a missing field', 'get_thing', {}, 'id'],
    ['an unknown chain', 'get_latest_thing', { chainId: 1 }, 'chainId'],
    ['a chain that is not for tools', 'get_latest_thing', { chainId: '8453' }, 'chainId'],
    ['no chain id', 'get_latest_thing', { chainId: 1.5 }, 'chainId'],
    ['no chain id either', 'get_latest_thing', { chainId: true }, 'chainId'],
    ['a bad block', 'get_latest_thing', { minBlock: '5.5' }, 'minBlock'],
    ['a bad block on a prepare', 'prepare_thing', { from: FROM, amountRaw: '1', minBlock: -5 }, 'minBlock'],
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
