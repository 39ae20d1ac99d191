import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { routesOf } from '@remit/service/testing/surfaces/rest/routes'
import Database from 'libsql'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { indexed } from '../support/service/indexed.ts'
import { startTestService, useTestService } from '../support/service/testService.ts'
import { choicesOf, corpusOf } from './corpus.ts'
import { STRANGE_ID, useLife } from './life.ts'
import { addressOf, asRead, type Input, type Outcome, useSurfaces } from './surfaces.ts'

const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)
const surfaces = await useSurfaces(service)

const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)
const routes = operations.filter(({ rest }) => rest !== null)
/** Operators’ routes ask for the admin secret, webhooks for a key, visitors’ for a session: tested where those are. */
const callersRoutes = routes.filter(({ audience }) =>
  ['callers', 'signers', 'anyone', 'guests'].includes(audience),
)
const tools = operations.filter(({ tool, audience }) => tool && audience !== 'developers')
const onBoth = tools.filter(({ rest }) => rest !== null)
const onChains = onBoth.filter(({ onChain }) => onChain)

/** Asks both at once, and again where a second ended between them: a proof is dated by the chain's clock. */
async function expectSame(one: () => Promise<Outcome>, other: () => Promise<Outcome>): Promise<Outcome> {
  return vi.waitFor(
    async () => {
      const [left, right] = await Promise.all([one(), other()])
      expect({ failed: right.failed, body: right.body }).toEqual({ failed: left.failed, body: left.body })
      return left
    },
    { timeout: 10_000 },
  )
}

const expectParity = (operation: Operation, input: Input, chain: { rest?: string; tool?: unknown } = {}) =>
  expectSame(
    () => surfaces.rest(operation, input, chain.rest === undefined ? {} : { chainId: chain.rest }),
    () => surfaces.tool(operation, input, chain.tool === undefined ? {} : { chainId: chain.tool }),
  )

it('every operation on a chain waits for minBlock, and says by name that it has not come', async () => {
  const parameters = { minBlock: 99_999_999 }
  const refused = { failed: true, body: { code: 'BLOCK_NOT_SEEN', ...parameters } }
  const ask = async (operation: Operation) => {
    const input = life.sample(operation)
    const [rest, tool] = await Promise.all([
      surfaces.rest(operation, input, parameters),
      surfaces.tool(operation, input, parameters),
    ])
    expect({ name: operation.name, rest, tool }).toMatchObject({ rest: refused, tool: refused })
  }
  // Each waits for two seconds: many at a time.
  const AT_ONCE = 20
  for (let from = 0; from < onChains.length; from += AT_ONCE) {
    await Promise.all(onChains.slice(from, from + AT_ONCE).map(ask))
  }
}, 60_000)

describe('one input gives one answer', () => {
  it.each(named(onBoth))('%s', async (_name, operation) => {
    expect(await expectParity(operation, life.sample(operation))).toMatchObject({
      status: 200,
      failed: false,
    })
  })

  it.each(named(onChains))('%s: whatever way the chain is named', async (_name, operation) => {
    const input = life.sample(operation)
    const { chainId } = life.chain
    const decimal = String(chainId)
    const caip2 = `eip155:${chainId}`
    for (const chain of [
      { rest: decimal },
      { tool: decimal },
      { rest: caip2, tool: caip2 },
      { tool: chainId },
    ]) {
      expect((await expectParity(operation, input, chain)).status).toBe(200)
    }
  })

  it.each(named(onBoth))('%s: an unknown field is refused by its name', async (_name, operation) => {
    expect(await expectParity(operation, { ...life.sample(operation), surplus: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path: 'surplus' }] },
    })
  })

  it.each(named(onBoth.filter(({ input }) => 'id' in input.shape)))(
    '%s: an unknown id is not found',
    async (_name, operation) => {
      expect(await expectParity(operation, { ...life.sample(operation), id: STRANGE_ID })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND', id: STRANGE_ID },
      })
    },
  )
})

const dual = operations.filter((operation) => routesOf(operation).length > 1)

describe('what is posted and changes nothing is answered to GET as to POST', () => {
  it('which every prepare is, but what somebody’s signature is posted to', () => {
    const prepares = operations.filter(
      ({ effect, name }) => effect === 'prepare' && !/^prepare_carry_/.test(name),
    )
    expect(dual.map(({ name }) => name)).toEqual(expect.arrayContaining(prepares.map(({ name }) => name)))
  })

  it.each(named(dual))('%s', async (_name, operation) => {
    const statuses = new Set<number | undefined>()
    for (const input of corpusOf(life, operation)) {
      await vi.waitFor(
        async () => {
          const [posted, read] = await Promise.all([
            surfaces.rest(operation, input),
            surfaces.byGet(operation, input),
          ])
          expect(outcomeOf(read)).toEqual(outcomeOf(posted))
          statuses.add(read.status)
        },
        { timeout: 10_000 },
      )
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))
  })

  it.each(named(dual))('%s answers HEAD, and is not kept by a cache', async (_name, operation) => {
    const url = `${service.url}${addressOf(asRead(operation), life.sample(operation))}`
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-store', ''])
  })
})

it('nothing is kept of what GET asks for: a preview or a prefetcher that follows a link changes no row of the store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-reads-'))
  const file = join(folder, 'remit.db')
  // An index would go on writing by itself.
  const environment = { DATABASE_URL: `file:${file}`, [`INDEX_${life.chain.chainId}`]: 'off' }
  const quiet = await startTestService([life.chain], environment)
  const database = new Database(file, { readonly: true })
  try {
    await quiet.caughtUp()
    const before = rowsOf(database)
    for (const operation of dual) {
      const { status } = await quiet.get(addressOf(asRead(operation), life.sample(operation)))
      expect([operation.name, status]).toEqual([operation.name, 200])
    }
    expect(rowsOf(database)).toEqual(before)
  } finally {
    database.close()
    await quiet.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Every row of every table. */
function rowsOf(database: Database.Database): Record<string, unknown[]> {
  const tables = z
    .array(z.object({ name: z.string() }))
    .parse(database.prepare("select name from sqlite_master where type = 'table'").all())
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
  )
}

/** What must be the same by whatever method it was asked. */
function outcomeOf({ status, headers, body }: Outcome) {
  const told = ['cache-control', 'content-type', 'etag', 'ratelimit-policy', 'x-service-lane', 'vary']
  return { status, headers: told.map((name) => [name, headers?.get(name)]), body }
}
/** The amounts of an answer that look like nothing else. */
function amountsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && /amount$|^minimum$/i.test(name) && /^\d+\.\d+$/.test(value)
      ? [value]
      : amountsOf(value),
  )
}

describe('a model reads', () => {
  const ROUTE = /\b(GET|POST|DELETE) \//

  it.each(named(tools))(
    '%s in words that name tools and no routes, each amount with its token',
    async (_name, operation) => {
      const { text, body } = await surfaces.words(operation, life.sample(operation))
      expect(`${operation.summary} ${operation.description}`).not.toMatch(ROUTE)
      expect(text).not.toMatch(ROUTE)
      for (const amount of amountsOf(body)) {
        const alone = new RegExp(
          `(?<![\\w.-])${amount.replace('.', '[.]')}(?! ([A-Z]{3,}|0x|of token 0x|of 0x))(?![\\w.])`,
        )
        expect(text).not.toMatch(alone)
      }
    },
  )
})

describe('what is declared is what is offered', () => {
  it('lists every tool, in order and as it is declared', async () => {
    const listed = await surfaces.client.listTools()
    const declared = operations.filter(({ tool }) => tool)
    expect(listed.tools.map(({ name }) => name)).toEqual(declared.map(({ name }) => name))
    for (const [index, tool] of listed.tools.entries()) {
      const operation = declared[index]
      expect(tool.description).toContain(operation?.summary)
      expect(Object.keys(tool.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(['chainId', ...(operation === undefined ? [] : choicesOf(operation))]),
      )
      expect(tool.outputSchema).toMatchObject({ type: 'object' })
      expect(tool.annotations).toMatchObject({
        readOnlyHint: operation?.effect !== 'manage',
        destructiveHint: operation?.rest?.method === 'DELETE',
        openWorldHint: operation?.onChain,
      })
    }
  })

  it('lists every route in the catalog, with the prefix', async () => {
    const { body } = await service.get('/catalog')
    expect(body.routes).toEqual(
      routes.flatMap((operation) =>
        routesOf(operation).map(({ method, path }) => ({
          method,
          path: `/api${path === '/' ? '' : path}`,
          description: operation.summary,
        })),
      ),
    )
  })

  it.each(named(callersRoutes))(
    '%s is served as declared, with and without the prefix',
    async (_name, operation) => {
      const { method = '', path = '' } = operation.rest ?? {}
      const filled = path.replace(/:\w+/g, '0')
      for (const at of [filled, `/api${filled}`]) {
        const wrong = await service.get(at, { method: 'DELETE' })
        expect([wrong.status, wrong.body.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
        expect(wrong.headers.get('allow')).toContain(method)
        const right = await fetch(`${service.url}${at}`, { method })
        expect([404, 405]).not.toContain(right.status)
      }
    },
  )

  it.each(named(callersRoutes.filter(({ rest, tool }) => rest?.method === 'GET' && !tool)))(
    '%s is a route only',
    async (_name, operation) => {
      expect((await surfaces.rest(operation, life.sample(operation))).status).toBe(200)
      const call = surfaces.client.callTool({ name: operation.name, arguments: {} })
      await expect(call).rejects.toMatchObject({ code: -32602 })
    },
  )

  it.each(named(callersRoutes.filter(({ rest }) => rest?.method === 'GET')))(
    '%s answers HEAD, and 304 to what it has not changed',
    async (_name, operation) => {
      const url = `${service.url}${addressOf(operation, life.sample(operation))}`
      const head = await fetch(url, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      const etag = head.headers.get('etag') ?? ''
      expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    },
  )
})

const WireError = z.looseObject({
  error: z.string().min(10),
  code: z.string().regex(/^[A-Z_]+$/),
  requestId: z.uuid(),
  issues: z.array(z.looseObject({ message: z.string() })).optional(),
})

it('says every error in one shape, with the headers of every response', async () => {
  const post = (path: string, init: RequestInit) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      ...init,
    })
  const errors: [number, Promise<Response>][] = [
    [400, fetch(`${service.url}/subscriptions/0x1`)],
    [400, fetch(`${service.url}/nothing?chainId=nothing`)],
    [404, fetch(`${service.url}/nothing`)],
    [404, fetch(`${service.url}/subscriptions/${STRANGE_ID}`)],
    [405, post('/catalog', {})],
    [406, fetch(`${service.url}/catalog`, { headers: { Accept: 'text/csv' } })],
    [413, post('/prepare/remit', { body: 'x'.repeat(70_000) })],
    [414, fetch(`${service.url}/${'x'.repeat(9000)}`)],
    [415, post('/prepare/remit', { headers: { 'Content-Type': 'text/plain' }, body: '{}' })],
    [431, fetch(service.url, { headers: { 'X-Fill': 'x'.repeat(40_000) } })],
    [503, fetch(`${service.url}/protocol/state?minBlock=99999999`)],
  ]
  for (const [status, pending] of errors) {
    const response = await pending
    const body = WireError.parse(await response.json())
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toBe(body.requestId)
    expect(response.headers.get('x-service-lane')).toBe('free')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
})
