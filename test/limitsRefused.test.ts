import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError, UpstreamError } from '@remit/engine/errors/chain'
import { SubscriptionId } from '@remit/engine/schema/hex'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { json, smallOperations } from './support/app/smallApp.ts'
import { ACCEPT, type LimitedApp, limitedApp, message, taken } from './support/limits/limitedApp.ts'

const ID = `0x${'ab'.repeat(31)}a`
const GOOD = { from: '0x00000000000000000000000000000000000000aa', amountRaw: '1' }

/** What the counters hold, seen from one more request of everything. */
async function used(app: LimitedApp): Promise<Record<string, number>> {
  const response = await app.call('/prepare/thing', json(GOOD))
  expect(response.status).toBe(200)
  const policy = response.headers.get('ratelimit-policy') ?? ''
  const rest = response.headers.get('ratelimit') ?? ''
  return Object.fromEntries(
    [...policy.matchAll(/"(\w+)";q=(\d+)/g)].map(([, name = '', limit]) => {
      const remaining = new RegExp(`"${name}";r=(\\d+)`).exec(rest)?.[1]
      return [name, Number(limit) - Number(remaining) - 1]
    }),
  )
}

const FAILS = `${ID}9`
const UNKNOWN = `${ID}0`

/** The small operations and a write that does as its id says. */
const writing: readonly Operation[] = [
  ...smallOperations,
  defineOperation({
    name: 'write_thing',
    effect: 'prepare',
    kind: 'chain',
    access: 'write',
    summary: 'Fail, or find nothing',
    rest: { method: 'POST', path: '/writes' },
    input: z.object({ id: SubscriptionId }),
    output: z.object({}),
    async handle({ input: { id }, chain: { chainId } }) {
      throw id === FAILS ? new UpstreamError(chainId) : new SubscriptionNotFoundError(id, chainId)
    },
  }),
]

describe('what a request costs that does not succeed', () => {
  const two = { globalRpm: 1, dailyTotalRequests: 1, writeRpm: 0, writeDaily: 0 }
  const nothing = { ...two, globalRpm: 0, dailyTotalRequests: 0 }
  const whole = { globalRpm: 1, dailyTotalRequests: 1, writeRpm: 1, writeDaily: 1 }
  const deep = { ...ACCEPT, 'MCP-Protocol-Version': '1999-01-01' }

  it.each<[string, string, RequestInit, number, Record<string, number>]>([
    ['input that does not fit', '/prepare/thing', json({ ...GOOD, amountRaw: 'x' }), 400, two],
    ['no JSON', '/prepare/thing', json('{'), 400, two],
    ['an unknown chain', '/things?chainId=9', {}, 400, two],
    ['an unknown route', '/nothing', {}, 404, two],
    ['another method', '/prepare/thing', { method: 'DELETE' }, 405, two],
    ['too much', '/prepare/thing', json(`"${'x'.repeat(70_000)}"`), 413, two],
    ['another type', '/prepare/thing', json('{}', { 'Content-Type': 'text/plain' }), 415, two],
    ['a preflight', '/prepare/thing', { method: 'OPTIONS' }, 204, nothing],
    ['an upstream failure', '/writes', json({ id: FAILS }), 502, two],
    ['what is not there', '/writes', json({ id: UNKNOWN }), 404, whole],
    ['no JSON to tools', '/mcp', json('{', ACCEPT), 400, two],
    ['a session with tools', '/mcp', { headers: ACCEPT }, 405, two],
    ['too much for tools', '/mcp', json(`"${'x'.repeat(70_000)}"`, ACCEPT), 413, two],
    [
      'an unknown protocol version',
      '/mcp',
      json(message('tools/list', {}), deep),
      400,
      { ...two, dailyTotalRequests: 0 },
    ],
    ['an unknown tool', '/mcp', json(message('tools/call', { name: 'none' }), ACCEPT), 200, two],
    [
      'a list of tools',
      '/mcp',
      json(message('tools/list', {}), ACCEPT),
      200,
      { ...two, dailyTotalRequests: 0 },
    ],
    [
      'a tool that fails upstream',
      '/mcp',
      json(message('tools/call', { name: 'write_thing', arguments: { id: FAILS } }), ACCEPT),
      200,
      two,
    ],
    [
      'a tool that finds nothing',
      '/mcp',
      json(message('tools/call', { name: 'write_thing', arguments: { id: UNKNOWN } }), ACCEPT),
      200,
      whole,
    ],
  ])('%s', async (_title, path, init, status, expected) => {
    const app = limitedApp({ operations: writing })
    const response = await app.call(path, init)
    await response.arrayBuffer()
    expect(response.status).toBe(status)
    // Every answer that was metered says so, errors too.
    expect(taken(response.headers).length > 0).toBe(expected !== nothing)
    expect(await used(app)).toEqual(expected)
  })

  it('an answer that has not changed costs the full price', async () => {
    const app = limitedApp()
    const first = await app.call('/things/latest')
    const etag = first.headers.get('etag') ?? ''
    const again = await app.call('/things/latest', { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
    expect(again.headers.get('ratelimit')).toContain('"globalRpm";r=18;')
  })

  it('hanging up does not give back what was begun', async () => {
    const app = limitedApp({ operations: writing })
    const hangUp = new AbortController()
    const pending = app.call('/writes', { ...json({ id: FAILS }), signal: hangUp.signal })
    hangUp.abort()
    await pending
    expect(await used(app)).toEqual(whole)
  })
})

it('charges each message of a batch, and each call as what it calls, and tells where the limits stand after all of it', async () => {
  const app = limitedApp()
  const batch = [1, 2, 3].map((id) => ({
    ...message('tools/call', { name: 'prepare_thing', arguments: GOOD }),
    id,
  }))
  const response = await app.call('/mcp', json(batch, ACCEPT))
  const text = await response.text()
  expect(text.match(/RATE_LIMITED/g)).toHaveLength(2)
  expect(response.headers.get('ratelimit')).toContain('"writeRpm";r=0;t=60')
  expect(response.headers.get('ratelimit')).toContain('"globalRpm";r=17;')
})

it('answers messages that call nothing by 429 once the minute is spent', async () => {
  const app = limitedApp()
  for (let request = 0; request < 20; request += 1) {
    expect((await app.call('/mcp', json(message('ping', {}), ACCEPT))).status).toBe(200)
  }
  const response = await app.call('/mcp', json(message('ping', {}), ACCEPT))
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
})

it('leaves a body unread once the minute is spent', async () => {
  const app = limitedApp()
  for (let request = 0; request < 20; request += 1) await app.call('/catalog')
  const body = new ReadableStream({
    pull() {
      throw new Error('it was read')
    },
  })
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  } as const
  expect((await app.call('/prepare/thing', init)).status).toBe(429)
})
