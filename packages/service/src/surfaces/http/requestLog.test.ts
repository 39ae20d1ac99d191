import { createHash } from 'node:crypto'
import type { Log } from '@remit/engine/ports/log'
import { json, type LogLine, type SmallAppOptions, smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import { currentTrace } from '../../calls/RequestTrace.ts'
import type { ChargingPort } from '../../ports/access.ts'
import { createRequestLog } from './requestLog.ts'

type Line = LogLine & { readonly level: 'info' | 'warn' | 'error' }

/** A small app, and the lines about its requests. */
function logging(options: SmallAppOptions & { key?: string } = {}) {
  const { key, ...rest } = options
  const lines: Line[] = []
  const write = (level: Line['level']) => (message: string, facts?: LogLine['facts']) => {
    lines.push({ level, message, facts })
  }
  const log: Log = { info: write('info'), warn: write('warn'), error: write('error') }
  const { app } = smallApp({ ...rest, observers: [createRequestLog(log, { key })] })
  const call = (path: string, init?: RequestInit, remoteAddress = '203.0.113.7') =>
    app.fetch(new Request(`http://localhost${path}`, init), { remoteAddress })
  return { app, call, lines }
}

const ID = `0x${'0'.repeat(64)}`
const GIVEN_BACK: string[] = []
const quota = (name: string) => ({ name, limit: 9, windowSeconds: 60, remaining: 8, resetSeconds: 60 })
/** Limits that are never reached. */
const charging: ChargingPort = {
  admit: () => {},
  async take(_identity, _cost, buckets) {
    const quotas = [quota('globalRpm'), ...buckets.map((bucket) => quota(`${bucket}Rpm`))]
    currentTrace()?.charged(quotas.map(({ name }) => name))
    return {
      quotas,
      giveBack: async () => {
        currentTrace()?.gaveBack()
        GIVEN_BACK.push('once')
      },
    }
  },
}

describe('the line of a request', () => {
  it('says who, what, how it ended, how long it took and what it cost', async () => {
    const { call, lines } = logging({ charging })
    const response = await call('/prepare/thing', json({ from: `0x${'00'.repeat(20)}`, amountRaw: '1' }))
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        facts: {
          requestId: response.headers.get('x-request-id'),
          traceId: response.headers.get('x-request-id')?.replaceAll('-', ''),
          surface: 'rest',
          lane: 'free',
          caller: expect.stringMatching(/^[0-9a-f]{16}$/),
          operation: 'prepare_thing',
          method: 'POST',
          route: '/prepare/thing',
          status: 200,
          durationMs: expect.any(Number),
          upstreamRequests: 0,
          charged: ['globalRpm', 'writeRpm'],
        },
      },
    ])
  })

  it.each([
    ['/things/0x1234?owner=somebody', {}, 400, 'VALIDATION_ERROR', '/things/:id'],
    [`/api/things/${ID}`, {}, 404, 'NOT_FOUND', '/things/:id'],
    ['/things/latest', { method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED', undefined],
    ['/some/words/of/a/stranger?and=more', {}, 404, 'NOT_FOUND', undefined],
    ['/things/latest?chainId=stranger', {}, 400, 'VALIDATION_ERROR', undefined],
    ['/things/latest', { headers: { Host: 'stranger.example' } }, 403, 'FORBIDDEN', undefined],
  ])(
    'of %s %o has the code and the pattern of the route, never the words of the caller',
    async (path, init, status, code, route) => {
      const { call, lines } = logging()
      const response = await call(path, init)
      expect(lines).toHaveLength(1)
      expect(lines[0]?.facts).toMatchObject({ status, code, requestId: response.headers.get('x-request-id') })
      expect(lines[0]?.facts?.route).toBe(route)
      expect(JSON.stringify(lines)).not.toMatch(/somebody|stranger|0x1234/)
    },
  )

  it('names the trace that the caller is in, and begins one where its header is none', async () => {
    const { call, lines } = logging()
    const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
    await call('/catalog', { headers: { traceparent: `00-${traceId}-${parentId}-01` } })
    const { headers } = await call('/catalog', { headers: { traceparent: '00-evil' } })
    expect(lines.map(({ facts }) => [facts?.traceId, facts?.parentId])).toEqual([
      [traceId, parentId],
      [headers.get('x-request-id')?.replaceAll('-', ''), undefined],
    ])
  })

  it('is a warning only where the caller is not at fault', async () => {
    const { call, lines } = logging({ charging })
    GIVEN_BACK.length = 0
    await call(`/things/${ID.slice(0, -1)}9`)
    await call(`/things/${ID.slice(0, -1)}8`)
    await call(`/things/${ID}`)
    await call('/prepare/thing', json({ from: `0x${'00'.repeat(20)}`, amountRaw: '9' }))
    const told = lines.map(({ level, facts }) => [level, facts?.status, facts?.code, facts?.givenBack])
    expect(told).toEqual([
      ['warn', 502, 'UPSTREAM_ERROR', undefined],
      ['warn', 500, 'INTERNAL_ERROR', undefined],
      ['info', 404, 'NOT_FOUND', undefined],
      // Only what takes scarce units has any to give back.
      ['warn', 502, 'UPSTREAM_ERROR', true],
    ])
    expect(GIVEN_BACK).toHaveLength(1)
  })

  it('is written for bytes that are no request', () => {
    const { app, lines } = logging()
    app.refuse(new TypeError('no request'))
    expect(lines.map(({ facts }) => [facts?.status, facts?.code, facts?.method])).toEqual([
      [500, 'INTERNAL_ERROR', undefined],
    ])
  })
})

describe('the lines of MCP', () => {
  const headers = { Accept: 'application/json, text/event-stream' }
  const call = (id: number, name: string, args: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })

  it('are one for each call of a tool, with its own end and its own charge', async () => {
    const app = logging({ charging })
    const batch = [
      call(1, 'get_latest_thing'),
      call(2, 'prepare_thing', { from: `0x${'00'.repeat(20)}`, amountRaw: '1' }),
      call(3, 'get_thing', { id: ID }),
    ]
    const response = await app.call('/mcp', json(batch, headers))
    expect(response.status).toBe(200)
    const told = app.lines.map(({ facts }) => [facts?.operation, facts?.status, facts?.code, facts?.charged])
    expect(told.toSorted()).toEqual([
      ['get_latest_thing', 200, undefined, ['globalRpm']],
      ['get_thing', 404, 'NOT_FOUND', ['globalRpm']],
      ['prepare_thing', 200, undefined, ['globalRpm', 'writeRpm']],
    ])
    for (const { facts } of app.lines) {
      expect(facts).toMatchObject({
        surface: 'mcp',
        method: 'POST',
        route: '/mcp',
        requestId: response.headers.get('x-request-id'),
        caller: expect.any(String),
      })
    }
  })

  it('are one for a request that calls no tool of the list', async () => {
    const app = logging({ charging })
    await app.call('/mcp', json({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers))
    await app.call('/mcp', json(call(1, 'a_stranger'), headers))
    await app.call('/mcp', json('{', headers))
    expect(app.lines.map(({ facts }) => [facts?.operation, facts?.status])).toEqual([
      [undefined, 200],
      [undefined, 200],
      [undefined, 400],
    ])
    expect(JSON.stringify(app.lines)).not.toContain('a_stranger')
  })
})

describe('a caller in the log', () => {
  it('is the same in all lines of a process, and another for another address', async () => {
    const { call, lines } = logging()
    await call('/', {}, '203.0.113.7')
    await call('/things/latest', {}, '203.0.113.7')
    await call('/', {}, '203.0.113.8')
    const [one, same, other] = lines.map(({ facts }) => facts?.caller)
    expect(same).toBe(one)
    expect(other).not.toBe(one)
  })

  it('cannot be found by hashing every address: each process has a key of its own', async () => {
    const callers = await Promise.all(
      [logging(), logging()].map(async ({ call, lines }) => {
        await call('/')
        return String(lines[0]?.facts?.caller)
      }),
    )
    expect(callers[0]).not.toBe(callers[1])
    for (const text of ['203.0.113.7', 'free:203.0.113.7']) {
      expect(createHash('sha256').update(text).digest('hex')).not.toContain(callers[0])
    }
    expect(callers.join()).not.toContain('203.0.113')
  })

  it('is the same in all processes that are given one key', async () => {
    const [one, two] = [logging({ key: 'a key of operators' }), logging({ key: 'a key of operators' })]
    await one.call('/')
    await two.call('/')
    expect(one.lines[0]?.facts?.caller).toBe(two.lines[0]?.facts?.caller)
  })
})
