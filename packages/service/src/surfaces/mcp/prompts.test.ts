import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import { operations } from '../../operations/index.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import type { SuggestedKind } from './prompts.ts'

const PLANS = [`0xaa${'1'.repeat(62)}`, `0xab${'2'.repeat(62)}`]
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const guide: ServedDocument = {
  name: 'docs',
  path: '/docs/start.md',
  contentType: 'text/markdown; charset=utf-8',
  cache: 'revalidate',
  metering: 'metered',
  render: () => '# Start here\n\nRun it.\n',
}

let isAway = false
const asked: string[] = []
const suggestions = {
  async of(kind: SuggestedKind, chainId: number) {
    asked.push(`${kind} ${chainId}`)
    if (isAway) throw new Error('the chain is away')
    return kind === 'token'
      ? [{ value: USDC, words: ['USDC'] }]
      : PLANS.map((value) => ({ value, words: [] }))
  },
}

const { app } = smallApp({
  documents: [guide, { ...guide, path: '/docs', contentType: 'text/html' }],
  suggestions,
})
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
let server: RunningServer

beforeAll(async () => {
  server = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
})

afterAll(async () => {
  await client.close()
  await server.close(1000)
})

describe('guides', () => {
  it('are resources, with the Markdown that is served', async () => {
    const { resources } = await client.listResources()
    expect(resources).toEqual([
      { uri: 'remit://docs/start.md', name: 'start', title: 'Start here', mimeType: 'text/markdown' },
    ])
    const { contents } = await client.readResource({ uri: 'remit://docs/start.md' })
    expect(contents).toEqual([
      { uri: 'remit://docs/start.md', mimeType: 'text/markdown', text: '# Start here\n\nRun it.\n' },
    ])
  })

  it('that do not exist are refused by the protocol', async () => {
    await expect(client.readResource({ uri: 'remit://docs/none.md' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('prompts', () => {
  it('name only tools that there are', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['subscribe', 'create_plan', 'look_after_subscriptions'])
    const tools = new Set(operations.filter(({ tool }) => tool).map(({ name }) => name))
    for (const { name, arguments: list = [] } of prompts) {
      const given = Object.fromEntries(list.map((argument) => [argument.name, `<${argument.name}>`]))
      const { messages } = await client.getPrompt({ name, arguments: given })
      const text = JSON.stringify(messages)
      for (const argument of list) expect(text).toContain(`<${argument.name}>`)
      const named = text.match(/\b(get|list|prepare|check|search)_\w+/g) ?? []
      expect(named.length).toBeGreaterThan(0)
      for (const tool of named) expect(tools).toContain(tool)
    }
  })

  it('say which argument is missing, and which prompt does not exist', async () => {
    const incomplete = client.getPrompt({ name: 'subscribe', arguments: { wallet: '0x1' } })
    await expect(incomplete).rejects.toMatchObject({
      code: -32602,
      message: /needs the argument subscription/,
    })
    await expect(client.getPrompt({ name: 'rob' })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('completion', () => {
  const complete = (prompt: string, name: string, value: string, context = {}) =>
    client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value }, context })

  it('finds plans by the beginning of their ids, and tokens by their symbols', async () => {
    expect((await complete('subscribe', 'subscription', '0xAB')).completion.values).toEqual([PLANS[1]])
    expect((await complete('create_plan', 'token', 'usd')).completion.values).toEqual([USDC])
    expect((await complete('create_plan', 'token', 'dai')).completion).toMatchObject({ values: [], total: 0 })
  })

  it('asks the chain that was chosen, and the default one without a choice', async () => {
    asked.length = 0
    await complete('create_plan', 'token', '', { arguments: { chainId: '84532' } })
    await complete('create_plan', 'token', '')
    expect(asked).toEqual(['token 84532', 'token 31337'])
  })

  it('suggests nothing where there is nothing to suggest, or the chain is away', async () => {
    expect((await complete('subscribe', 'wallet', '0x')).completion.values).toEqual([])
    isAway = true
    expect((await complete('create_plan', 'token', '')).completion.values).toEqual([])
  })
})
