import { TOOL_PROFILES } from '@remit/engine/declare/operation'
import { json, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import { operations } from '../../../operations/index.ts'
import { toolSets } from './toolSets.ts'

const sets = toolSets(operations)
const KILOBYTE = 1000

type Chosen = Parameters<typeof sets>[0]

const namesIn = (chosen: Chosen, withKey = false) =>
  sets(chosen, withKey).listed.tools.map(({ name }) => name)

const bytesOf = (chosen: Chosen, withKey = false) =>
  Buffer.byteLength(JSON.stringify(sets(chosen, withKey).listed))

/** One JSON-RPC request as a client of a version posts it; older ones name none. */
async function post(path: string, method: string, params: object = {}, version?: string) {
  const headers = {
    Accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
  }
  const response = await smallApp().call(path, json({ jsonrpc: '2.0', id: 1, method, params }, headers))
  const text = await response.text()
  const body: unknown = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  return { status: response.status, body }
}

const callLatest = { name: 'get_latest_thing', arguments: {} }

describe('the list of tools', () => {
  it.each([false, true])(
    'is at most 20 KB for who chooses nothing (with a key: %s), and 67 KB for all',
    (withKey) => {
      expect(bytesOf(undefined, withKey)).toBeLessThanOrEqual(20 * KILOBYTE)
      expect(bytesOf('all')).toBeLessThanOrEqual(67 * KILOBYTE)
    },
  )

  it.each([false, true])(
    'lets who chooses nothing call every tool, and names those it leaves out',
    (withKey) => {
      const { listed, byName } = sets(undefined, withKey)
      expect([...byName.keys()]).toEqual(namesIn('all', withKey))
      const left = namesIn('all', withKey).filter((name) => !namesIn(undefined, withKey).includes(name))
      expect(left.length).toBeGreaterThan(20)
      expect(listed.tools[0]?.description).toMatch(new RegExp(`/mcp\\?tools=all .*: ${left.join(', ')}\\.$`))
    },
  )

  it('has every tool in a profile but the second form of a prepare, and none of those', () => {
    const tools = operations.filter(({ tool }) => tool)
    const byId = tools.filter(({ name }) => name.endsWith('_by_id'))
    const second = new Set(byId.map(({ name }) => name.replace(/_by_id$/, '')))
    const unlisted = tools.filter(({ profiles }) => profiles.length === 0).map(({ name }) => name)
    expect(new Set(unlisted)).toEqual(second)
  })

  it.each(TOOL_PROFILES)('says for %s which tools it has, in the order of the whole list', (profile) => {
    const own = namesIn([profile])
    expect(own.length).toBeGreaterThan(0)
    expect(own).toEqual(namesIn('all').filter((name) => own.includes(name)))
  })

  it('leaves the choice of one tool callable where nothing is chosen', async () => {
    const listed = await post('/mcp', 'tools/list')
    expect(listed.body).toMatchObject({ result: { tools: [{ name: 'get_latest_thing' }] } })
    const { body } = await post('/mcp', 'tools/call', { name: 'only_a_tool', arguments: {} })
    expect(body).toMatchObject({ result: { structuredContent: { lane: 'free' } } })
  })

  it('joins several profiles', async () => {
    const { body } = await post('/mcp?tools=read,essential', 'tools/list')
    expect(body).toMatchObject({ result: { tools: [{ name: 'get_latest_thing' }] } })
  })

  it('lets nothing be called beyond the chosen profiles', async () => {
    const { body } = await post('/mcp?tools=keeper', 'tools/call', callLatest)
    expect(body).toMatchObject({ error: { code: -32602, message: 'Unknown tool: get_latest_thing' } })
  })

  it.each([
    ['?tools=', 'tools'],
    ['?tools=everything', 'tools'],
    ['?tools=read,,keeper', 'tools'],
    ['?tools=all,', 'tools'],
    ['?tools=read&tools=keeper', 'tools'],
    ['?text=yaml', 'text'],
    ['?profile=read', 'profile'],
  ])('refuses %s by name', async (query, path) => {
    const { status, body } = await post(`/mcp${query}`, 'tools/list')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] })
  })
})

it.each([
  ['words since results are structured', '/mcp', '2025-06-18', false],
  ['words for the versions after it', '/mcp', '2025-11-25', false],
  ['the whole JSON for the version before it', '/mcp', '2025-03-26', true],
  ['the whole JSON where no version is named', '/mcp', undefined, true],
  ['the whole JSON where it is asked for', '/mcp?text=json', '2025-11-25', true],
])('the text of a result is %s', async (_title, path, version, isJson) => {
  const { body } = await post(path, 'tools/call', callLatest, version)
  const { structuredContent, content } = Object(body).result
  expect(content[0].text === JSON.stringify(structuredContent)).toBe(isJson)
})
