import { DEFAULT_LIMITS, type Lane } from '@remit/engine/declare/lanes'
import { operations } from '@remit/service/operations/index'
import { defineServiceOperation, type Operation } from '@remit/service/testing/calls/serviceOperation'
import type { Identity } from '@remit/service/testing/ports/access'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { json } from './support/app/smallApp.ts'
import { ACCEPT, type LimitedApp, limitedApp, message, taken } from './support/limits/limitedApp.ts'

const MIDNIGHT = Date.UTC(2024, 4, 18)

type Surface = 'rest' | 'mcp'

/** The list as it is declared, with an answer in the place of every handler: what it costs is the question. */
const { declaration, answer } = defineServiceOperation({
  name: 'get_nothing',
  effect: 'read',
  access: 'read',
  summary: 'Nothing',
  rest: null,
  input: z.object({}),
  output: z.object({}),
  handle: async () => ({}),
})
const anything = (names: readonly string[]) =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])))
const answered: readonly Operation[] = operations.map((operation) => ({
  ...operation,
  input: anything(Object.keys(operation.input.shape)),
  answer,
  table: undefined,
  wholeTable: undefined,
  unchanging: false,
  kind: 'service',
  declaration,
}))

const ToolAnswer = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    structuredContent: z.record(z.string(), z.unknown()),
  }),
})

interface Outcome {
  readonly admitted: boolean
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

/** One for all operations: making their documents takes longer than asking them. */
const everything = limitedApp({ operations: answered })

function asSomebodyNew(identity: Partial<Identity> = {}): LimitedApp {
  everything.becomes(identity)
  return everything
}

async function ask({ call }: LimitedApp, surface: Surface, operation: Operation): Promise<Outcome> {
  if (surface === 'rest') {
    const { method, path } = operation.rest ?? { method: 'GET', path: '' }
    const response = await call(path.replace(/:\w+/g, '0'), method === 'POST' ? json({}) : {})
    const body = z.record(z.string(), z.unknown()).parse(await response.json())
    if (!response.ok && response.status !== 429) throw new Error(`answered ${response.status}`)
    return { admitted: response.ok, body, headers: response.headers }
  }
  const response = await call(
    '/mcp',
    json(message('tools/call', { name: operation.name, arguments: {} }), ACCEPT),
  )
  const text = await response.text()
  const { result } = ToolAnswer.parse(JSON.parse(text.replace(/^[^{]*/, '')))
  return { admitted: result.isError !== true, body: result.structuredContent, headers: response.headers }
}

const EXPENSIVE = [
  'search_subscriptions',
  'get_subscription_details',
  'get_subscription_details_history',
  'get_subscription_history',
  'get_account_activity',
  'get_provider_profile',
  'get_account_outlook',
  'get_provider_outlook',
  'get_subscription_outlook',
  'get_provider_revenue',
  'get_subscription_revenue',
  'list_provider_payments',
  'list_provider_members',
]

/** What the published rules say that an operation takes, told from its route and name alone. */
function published({ name, rest }: Operation, surface: Surface): string[] {
  if (['/', '/status', '/ready', '/.well-known/jwks.json'].includes(rest?.path ?? ''))
    return ['dailyTotalRequests']
  const totals = ['globalRpm', 'dailyTotalRequests']
  if (EXPENSIVE.includes(name)) return [...totals, 'expensiveRpm', 'subgraphDaily']
  const writes =
    rest?.path.startsWith('/prepare/') ||
    ['check_subscribe_readiness', 'check_remit_readiness', 'simulate_remit'].includes(name) ||
    (surface === 'mcp' && name === 'check_subscribe_readiness_by_id')
  return writes ? [...totals, 'writeRpm', 'writeDaily'] : totals
}

/** So many requests are made on each side of a limit; what comes before them is taken straight from the limiter. */
const REQUESTS = 3

/** Takes as so many requests would have. */
async function takeBefore(
  { charging, caller, clock }: LimitedApp,
  buckets: readonly string[],
  times: number,
  stepMs: number,
) {
  const scarce = (['write', 'expensive'] as const).filter((bucket) => buckets.includes(`${bucket}Rpm`))
  for (let taken = 0; taken < times; taken += 1) {
    await charging.take(caller(), buckets.includes('globalRpm') ? 'metered' : 'counted', scarce)
    clock.now += stepMs
  }
}

/** The limits of a minute and of a day that bind first. */
function binding(buckets: readonly string[], lane: Lane) {
  const limits = Object.entries(DEFAULT_LIMITS[lane]).filter(([name]) => buckets.includes(name))
  const least = (of: RegExp) => limits.filter(([name]) => of.test(name)).toSorted((a, b) => a[1] - b[1])[0]
  return { minute: least(/Rpm$/), day: least(/Daily$|^daily/) }
}

const served = (['rest', 'mcp'] as const).flatMap((surface) =>
  answered
    // Webhooks need a key: on the free lane they take nothing.
    .filter(({ audience }) => ['callers', 'signers', 'anyone', 'guests'].includes(audience))
    .filter(({ rest, tool }) => (surface === 'rest' ? rest !== null : tool))
    .map((operation) => [surface, operation.name, operation] as const),
)
const metered = served.filter(([, , { metering }]) => metering === 'metered')
/** Without a key some tools are not there. */
const listedOn = (lane: Lane) =>
  metered.filter(([surface, , { tools }]) => lane === 'developer' || surface === 'rest' || tools !== 'keys')
const counted = served.filter(([, , { metering }]) => metering === 'counted')

describe.each(['free', 'developer'] as const)('on the %s lane', (lane) => {
  it.each(listedOn(lane))(
    'over %s, %s takes what is published, and no more',
    async (surface, _name, operation) => {
      const app = asSomebodyNew({ lane })
      const { clock } = app
      const buckets = published(operation, surface)
      const [bucket = '', limit = 0] = binding(buckets, lane).minute ?? []
      const outcomes: Outcome[] = []
      const before = Math.max(0, limit - REQUESTS)
      await takeBefore(app, buckets, before, 100)
      for (let request = before; request < limit; request += 1) {
        outcomes.push(await ask(app, surface, operation))
        clock.now += 100
      }
      expect(outcomes.every(({ admitted }) => admitted)).toBe(true)
      for (const { headers } of outcomes) expect(taken(headers).toSorted()).toEqual(buckets.toSorted())

      const refused = await ask(app, surface, operation)
      expect(refused.admitted).toBe(false)
      const waitMs = 60_000 - limit * 100
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', lane, bucket, limit, retryAfterSeconds })
      expect(refused.headers.get('ratelimit')).toContain(`"${bucket}";r=0;t=${retryAfterSeconds}`)
      if (surface === 'rest') expect(refused.headers.get('retry-after')).toBe(String(retryAfterSeconds))

      clock.now += waitMs - 1
      expect((await ask(app, surface, operation)).admitted).toBe(false)
      clock.now += retryAfterSeconds * 1000 - (waitMs - 1)
      expect((await ask(app, surface, operation)).admitted).toBe(true)
    },
  )
})

it.each(listedOn('free'))(
  'over %s, %s is refused once its day is spent, until midnight UTC',
  async (surface, _name, operation) => {
    const app = asSomebodyNew()
    const { clock } = app
    const buckets = published(operation, surface)
    const [bucket = '', limit = 0] = binding(buckets, 'free').day ?? []
    await takeBefore(app, buckets, limit - REQUESTS, 60_000)
    for (let request = 0; request < REQUESTS; request += 1) {
      expect((await ask(app, surface, operation)).admitted).toBe(true)
      clock.now += 60_000
    }
    clock.now += 60_000
    const refused = await ask(app, surface, operation)
    const retryAfterSeconds = (MIDNIGHT - clock.now) / 1000
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', bucket, limit, retryAfterSeconds })
    clock.now = MIDNIGHT - 1
    expect((await ask(app, surface, operation)).admitted).toBe(false)
    clock.now = MIDNIGHT
    expect((await ask(app, surface, operation)).admitted).toBe(true)
  },
)

it.each(counted)(
  'over %s, %s counts in the day’s total and is never refused',
  async (surface, _name, operation) => {
    const app = asSomebodyNew()
    await takeBefore(app, ['dailyTotalRequests'], 500 - REQUESTS, 0)
    for (let request = 0; request < 2 * REQUESTS; request += 1) {
      const { admitted, headers } = await ask(app, surface, operation)
      expect([admitted, taken(headers)]).toEqual([true, ['dailyTotalRequests']])
    }
    const catalog = await app.call('/catalog')
    expect(await catalog.json()).toMatchObject({ code: 'RATE_LIMITED', bucket: 'dailyTotalRequests' })
  },
)

const operationNamed = (name: string) => {
  const operation = answered.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`no ${name}`)
  return operation
}

it.each(
  answered
    .filter(({ audience }) => audience === 'operators')
    .map((operation) => [operation.name, operation] as const),
)('%s takes nothing from an operator', async (_name, operation) => {
  const app = asSomebodyNew({ operator: true })
  for (let request = 0; request < 30; request += 1) {
    const { admitted, headers } = await ask(app, 'rest', operation)
    expect([admitted, taken(headers)]).toEqual([true, []])
  }
})

it('shares its buckets between REST and MCP', async () => {
  const app = asSomebodyNew()
  const remit = operationNamed('prepare_remit')
  expect((await ask(app, 'rest', remit)).admitted).toBe(true)
  expect((await ask(app, 'mcp', remit)).admitted).toBe(true)
  for (const surface of ['rest', 'mcp'] as const) {
    expect((await ask(app, surface, remit)).body).toMatchObject({ bucket: 'writeRpm' })
  }
})

it('refuses with the whole body and the headers of every error', async () => {
  const app = asSomebodyNew()
  const remit = operationNamed('prepare_remit')
  await ask(app, 'rest', remit)
  await ask(app, 'rest', remit)
  const response = await app.call('/prepare/remit', json({}))
  expect(response.status).toBe(429)
  expect(response.headers.get('x-service-lane')).toBe('free')
  expect(response.headers.get('ratelimit-policy')).toBe(
    '"globalRpm";q=20;w=60, "dailyTotalRequests";q=500;w=86400, "writeRpm";q=2;w=60, "writeDaily";q=20;w=86400',
  )
  expect(await response.json()).toEqual({
    error: 'The limit writeRpm of the free lane is reached (2): wait 60 s and send it again.',
    code: 'RATE_LIMITED',
    requestId: response.headers.get('x-request-id'),
    lane: 'free',
    bucket: 'writeRpm',
    limit: 2,
    retryAfterSeconds: 60,
    upgradeHint: expect.stringContaining('https://keys.example'),
  })
})
