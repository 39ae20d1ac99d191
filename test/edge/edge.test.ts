import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { UnavailableError } from '@remit/client'
import { nodeOperations } from '@remit/client/testing/generated/nodeOperations'
import { multipliedLimits } from '@remit/service/configuration/loadConfig'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { routesOf } from '@remit/service/testing/surfaces/rest/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { conformanceIsInstalled, judge } from '../conformance/suites.ts'
import { DocumentReader } from '../openapi/DocumentReader.ts'
import { corpusOf } from '../parity/corpus.ts'
import { STRANGE_ID, useLife } from '../parity/life.ts'
import { askOver, type Input, type Outcome } from '../parity/surfaces.ts'
import { clientName, useTypedClient } from '../parity/typedClient.ts'
import { type Asked, exchange } from '../support/service/exchange.ts'
import { useTestService, variablesOf } from '../support/service/testService.ts'
import { describeEdge, type Edge, useEdge } from './startEdge.ts'

const PUBLIC_URL = 'https://edge.example'
/** What the worker has of the service's own. */
const OWN = ['get_service', 'get_catalog', 'get_openapi', 'list_chains']

const atNode = operations.filter((operation) => nodeOperations[clientName(operation)] !== undefined)
const here = operations.filter((operation) => atNode.includes(operation) || OWN.includes(operation.name))
const absent = operations.filter((operation) => !here.includes(operation))
const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)

/** For tests of hundreds of requests, on a busy machine. */
const MANY_REQUESTS_MS = 120_000

/** MCP’s scenarios that name no tools, prompts or resources of their own. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'server-stateless',
  'caching',
  'http-header-validation',
  'dns-rebinding-protection',
  'tools-list',
  'resources-list',
  'sep-2164-resource-not-found',
  'prompts-list',
]

/** Headers of one answer, or of how it travels. */
const OF_ONE_ANSWER = new Set([
  'x-request-id',
  'ratelimit',
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
])
const Body = z.record(z.string(), z.unknown())

describeEdge('the worker for the edge, in workerd,', async () => {
  const life = await useLife()
  const { chain } = life
  const { chainId } = chain
  /** A clock that stands still, as every answer is dated by it: the chain's has been quiet for two hours. */
  const wallMs = (Number((await chain.client.getBlock()).timestamp) + 2 * 3_600) * 1_000
  const environment = {
    PUBLIC_URL,
    ALLOWED_HOSTS: 'edge.example,127.0.0.1,localhost',
    [`INDEX_${chainId}`]: 'off',
  }
  const service = await useTestService([chain], environment, () => wallMs)
  const variables = {
    ...environment,
    DEFAULT_REST_CHAIN_ID: String(chainId),
    ...Object.fromEntries(variablesOf(chain)),
  }
  const unlimited = { ...variables, ...multipliedLimits(100_000) }
  const edge = await useEdge(unlimited, { wallMs })

  const ask = async (path: string, asked: Asked = {}, at: Edge = edge) => {
    const { status, headers, text } = await exchange(`${at.url}${path}`, asked)
    return { status, headers, body: Body.parse(text === '' ? {} : JSON.parse(text)) }
  }

  describe('answers as a service without an index does, at the same block', () => {
    const told = ({ status, headers, body }: Outcome) => ({
      status,
      body,
      headers: [...(headers ?? [])].filter(([name]) => !OF_ONE_ANSWER.has(name)).toSorted(),
    })

    it('every operation of the engine', () => {
      expect(atNode.length).toBe(Object.keys(nodeOperations).length)
      expect(atNode.length).toBeGreaterThan(30)
    })

    it.each(named(atNode))('%s', async (_name, operation) => {
      const statuses = []
      for (const input of sendable(operation)) {
        const [left, right] = await Promise.all([
          askOver(edge.url, operation, input),
          askOver(service.url, operation, input),
        ])
        expect({ input, ...told(left) }).toEqual({ input, ...told(right) })
        statuses.push(left.status)
      }
      expect(statuses).toEqual(expect.arrayContaining([200, 400]))
    })

    /** Inputs that make an address: what is missing in a path would make another one. */
    function sendable(operation: Operation): readonly Input[] {
      const inPath = [...(operation.rest?.path ?? '').matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      return corpusOf(life, operation).filter((input) => inPath.every((name) => name in input))
    }
  })

  describe('has the routes and documents of what it answers, and of nothing else:', () => {
    const routes = here.flatMap((operation) => routesOf(operation))

    it('the catalog', async () => {
      const { body } = await ask('/catalog')
      const listed = z.array(z.object({ method: z.string(), path: z.string() })).parse(body.routes)
      expect(listed.map(({ method, path }) => `${method} ${path}`)).toEqual(
        routes.map(({ method, path }) => `${method} /api${path === '/' ? '' : path}`),
      )
      expect(body).toMatchObject({ chainId, developerKeysEnabled: false })
    })

    it('OpenAPI, with each route as the service describes it but for examples', async () => {
      const [own, whole] = await Promise.all(
        [edge, service].map(async ({ url }) => {
          const { text } = await exchange(`${url}/openapi.json`)
          return Body.parse(
            JSON.parse(text, (name, value: unknown) => (/^examples?$/.test(name) ? undefined : value)),
          )
        }),
      )
      expect(own?.servers).toEqual([{ url: PUBLIC_URL }])
      const paths = [...new Set(routes.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')))]
      expect(Object.keys(Body.parse(own?.paths)).toSorted()).toEqual(paths.toSorted())
      const reader = new DocumentReader(own)
      const wholeReader = new DocumentReader(whole)
      for (const path of paths.filter((each) => each !== '/')) {
        const at = `#/paths/${path.replaceAll('/', '~1')}`
        expect({ path, is: reader.inlined(at) }).toEqual({ path, is: wholeReader.inlined(at) })
      }
    })

    it('the front, whose links lead to what is there', async () => {
      const { body } = await ask('/')
      const { links } = z.object({ links: z.record(z.string(), z.string()) }).parse(body)
      expect(Object.keys(links)).toEqual(['catalog', 'openapi', 'mcp'])
      for (const link of Object.values(links)) {
        const { status } = await ask(link.slice(PUBLIC_URL.length))
        expect([link, status]).toEqual([link, link.endsWith('/mcp') ? 405 : 200])
      }
    })
  })

  describe('says by name that what needs more is not there:', () => {
    const beside = operations.flatMap(({ files, stream }) => [...files, ...(stream ? [stream] : [])])
    const missing = [
      ...absent.flatMap((operation) =>
        routesOf(operation).map((route) => ({ name: operation.name, ...route })),
      ),
      ...beside.map(({ name, path }) => ({ name, method: 'GET', path })),
    ]

    it.each(missing)('$method $path', async ({ name, method, path }) => {
      for (const at of [path, `/api${path}`]) {
        const { status, body, headers } = await ask(at.replace(/:\w+/g, '0'), { method })
        expect({ status, ...body }).toMatchObject({ status: 501, code: 'NOT_AT_EDGE', operation: name })
        expect(headers.get('x-request-id')).toBe(body.requestId)
        expect(headers.get('ratelimit-policy')).toContain('globalRpm')
      }
    })

    it('other methods of such a route are refused as anywhere', async () => {
      const { status, headers } = await ask('/subscriptions', { method: 'DELETE' })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect((await ask('/subscriptions', { method: 'OPTIONS' })).status).toBe(204)
    })
  })

  describe('over MCP', () => {
    async function connect(mode: 'auto' | 'legacy', query: string): Promise<Client> {
      const client = new Client({ name: 'edge', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${edge.url}/mcp?${query}`)))
      onTestFinished(() => client.close())
      return client
    }

    it.each(['auto', 'legacy'] as const)('lists what it answers (%s)', async (mode) => {
      const client = await connect(mode, 'tools=all')
      const tools = here.filter(({ tool }) => tool).map(({ name }) => name)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools)
      const few = await connect(mode, '')
      const listed = (await few.listTools()).tools
      expect(listed.length).toBeLessThan(tools.length)
      // The first one names the others, which can be called as well.
      for (const name of tools) expect(JSON.stringify(listed)).toContain(name)
      for (const { name, tool } of absent) if (tool) expect(listed[0]?.description).not.toContain(name)
    })

    it(
      'each tool answers what its route does',
      async () => {
        const client = await connect('auto', 'tools=all&text=json')
        // From here on the client measures every answer by the tool's output schema.
        await client.listTools()
        for (const operation of atNode.filter(({ tool }) => tool)) {
          const input = life.sample(operation)
          const { structuredContent, isError = false } = await client.callTool({
            name: operation.name,
            arguments: { first: undefined, ...input },
          })
          const { requestId: _, ...body } = Body.parse(structuredContent)
          const rest = await askOver(edge.url, operation, input)
          expect({ name: operation.name, isError, body }).toEqual({
            name: operation.name,
            isError: false,
            body: rest.body,
          })
        }
      },
      MANY_REQUESTS_MS,
    )

    it('a tool that needs more says so, and one that is unknown anywhere is unknown', async () => {
      const client = await connect('auto', '')
      for (const { name } of absent.filter(({ tool }) => tool)) {
        const { isError, structuredContent } = await client.callTool({ name, arguments: {} })
        expect({ isError, structuredContent }).toMatchObject({
          isError: true,
          structuredContent: { code: 'NOT_AT_EDGE', operation: name },
        })
      }
      await expect(client.callTool({ name: 'make_tea', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      })
    })
  })

  it.skipIf(!conformanceIsInstalled)(
    'passes MCP’s conformance suites in what names no fixture',
    async () => {
      const checks = await judge(`${edge.url}/mcp`, SCENARIOS)
      const failures = checks.filter(
        ({ status, errorMessage }) => status === 'FAILURE' && !errorMessage.startsWith('Not testable'),
      )
      expect(failures).toEqual([])
      const passed = checks.flatMap(({ status, scenario }) => (status === 'SUCCESS' ? [scenario] : []))
      expect([...new Set(passed)].toSorted()).toEqual(SCENARIOS.toSorted())
    },
    MANY_REQUESTS_MS,
  )

  it('refuses bad input and credentials in the one shape of errors', async () => {
    const post = (asked: Asked) => ({
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      ...asked,
    })
    const refused: readonly (readonly [number, string, string, Asked?])[] = [
      [400, 'VALIDATION_ERROR', '/subscriptions/0x1'],
      [400, 'VALIDATION_ERROR', '/protocol/state?chainId=1'],
      [400, 'VALIDATION_ERROR', '/prepare/remit', post({ body: '{' })],
      [
        401,
        'UNAUTHORIZED',
        '/protocol/state',
        { headers: { Authorization: `Bearer svc_${'k'.repeat(43)}` } },
      ],
      [404, 'NOT_FOUND', '/nothing'],
      [404, 'NOT_FOUND', `/subscriptions/${STRANGE_ID}`],
      [405, 'METHOD_NOT_ALLOWED', '/protocol/state', { method: 'DELETE' }],
      [406, 'NOT_ACCEPTABLE', '/catalog', { headers: { Accept: 'text/csv' } }],
      [413, 'PAYLOAD_TOO_LARGE', '/prepare/remit', post({ body: 'x'.repeat(70_000) })],
      [414, 'URI_TOO_LONG', `/${'x'.repeat(9_000)}`],
      [415, 'UNSUPPORTED_MEDIA_TYPE', '/prepare/remit', post({ headers: {}, body: '{}' })],
      [503, 'BLOCK_NOT_SEEN', '/protocol/state?minBlock=99999999'],
    ]
    for (const [status, code, path, asked] of refused) {
      const answer = await ask(path, asked)
      expect([path, answer.status, answer.body.code]).toEqual([path, status, code])
      expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it(
    'answers many at once and one after the other: no request waits for what another one reads',
    async () => {
      const paths = [
        '/protocol/state',
        `/subscriptions/${life.subscriptionId}`,
        `/accounts/${chain.wallets.alice}/outlook`,
        `/prepare/subscribe_by_id?id=${life.subscriptionId}&from=${chain.wallets.bob}`,
        '/catalog',
        '/openapi.json',
      ]
      const pathAt = (index: number) => paths[index % paths.length] ?? ''
      const toolCall = (id: number) => ({
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'get_subscription', arguments: { id: life.subscriptionId } },
        }),
      })
      const atOnce = Array.from({ length: 24 }, async (_, index) => {
        const [{ text }, { status }] = await Promise.all([
          exchange(`${edge.url}/mcp`, toolCall(index)),
          ask(pathAt(index)),
        ])
        expect(text).toContain(`"id":${index}`)
        expect(text).toContain('"structuredContent":{"subscription":')
        return status
      })
      expect(await Promise.all(atOnce)).toEqual(atOnce.map(() => 200))
      for (let index = 0; index < 200; index += 1) {
        const { status, body } = await ask(pathAt(index))
        expect({ index, status, code: body.code }).toEqual({ index, status: 200, code: undefined })
      }
    },
    MANY_REQUESTS_MS,
  )

  it('is a service to the typed client, which learns by name what is not there', async () => {
    const { client } = useTypedClient({ url: edge.url, retries: 0 })
    const { subscription } = await client.getSubscription({ id: life.subscriptionId })
    const prepared = { id: subscription.id, from: chain.wallets.bob }
    expect((await client.prepareSubscribeById(prepared)).unsignedTransactions).toHaveLength(2)
    const search = client.searchSubscriptions({})
    await expect(search).rejects.toThrow(UnavailableError)
    await expect(search).rejects.toMatchObject({ status: 501, code: 'NOT_AT_EDGE' })
  })

  it('is small: 400 kB in gzip at most', async () => {
    expect(gzipSync(readFileSync(edge.file)).length).toBeLessThan(400_000)
  })

  it('answers HEAD, and 304 to what has not changed', async () => {
    const head = await exchange(`${edge.url}/protocol/state`, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const headers = { 'If-None-Match': head.headers.get('etag') ?? '' }
    expect((await exchange(`${edge.url}/protocol/state`, { headers })).status).toBe(304)
  })

  it('compresses nothing by itself, as the platform does', async () => {
    const { headers, text } = await exchange(`${edge.url}/openapi.json`, {
      headers: { 'Accept-Encoding': 'br, gzip' },
    })
    expect(headers.get('content-encoding')).toBeNull()
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0' })
  })

  describe('counts by the address that the platform tells', async () => {
    const limited = await useEdge({ ...variables, LIMIT_FREE_GLOBAL_RPM: '3', EDGE_ADDRESS_HEADER: 'x-from' })
    const from = (address: string) => ask('/catalog', { headers: { 'X-From': address } }, limited)

    it('a limit bites, and says which it is and for how long', async () => {
      for (const left of [2, 1, 0]) {
        const { status, headers } = await from('203.0.113.7')
        expect([status, headers.get('ratelimit')?.match(/"globalRpm";r=(\d+)/)?.[1]]).toEqual([
          200,
          `${left}`,
        ])
      }
      const { status, headers, body } = await from('203.0.113.7')
      expect({ status, ...body }).toMatchObject({
        status: 429,
        code: 'RATE_LIMITED',
        lane: 'free',
        bucket: 'globalRpm',
        limit: 3,
        upgradeHint: null,
      })
      expect(Number(headers.get('retry-after'))).toBe(body.retryAfterSeconds)
      expect(headers.get('ratelimit-policy')).toContain('"globalRpm";q=3;w=60')
    })

    it('another address has its own, a network of IPv6 one together, and callers without one are one', async () => {
      const spend = async (addresses: readonly string[]) => {
        const statuses = []
        for (const address of addresses) statuses.push((await from(address)).status)
        return statuses
      }
      expect(await spend(['203.0.113.8'])).toEqual([200])
      expect(await spend(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'])).toEqual([
        200, 200, 200, 429,
      ])
      expect(await spend(['2001:db8:0:1::1'])).toEqual([200])
      expect(await spend(['', 'me', '10.0.0.1, 10.0.0.2', ''])).toEqual([200, 200, 200, 429])
    })
  })

  describe('tells its operator', async () => {
    const secret = 'kept-by-the-operator-0123456789'
    const shut = await useEdge({ ...variables, PUBLIC_URL: '' })
    const lost = await useEdge({ ...unlimited, [`RPC_URL_${chainId}`]: `http://127.0.0.1:1/${secret}` })

    it('which variable is wrong, and stays shut until it is corrected', async () => {
      expect((await exchange(shut.url)).status).toBe(500)
      await shut.says(/ConfigError.*PUBLIC_URL is not set/)
    })

    it('of each request, and no secret of a node’s address', async () => {
      const { status, body } = await ask('/protocol/state', {}, lost)
      expect([status, body.code]).toEqual([502, 'UPSTREAM_ERROR'])
      const [logged] = await lost.says(/^[\s\S]*"msg":"request"[\s\S]*$/)
      expect(logged).toContain('"route":"/protocol/state"')
      expect(`${logged} ${JSON.stringify(body)}`).not.toContain(secret)
    })
  })
})
