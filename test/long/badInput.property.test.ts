import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { type Input, type Outcome, useSurfaces } from '../parity/surfaces.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'

const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)
const surfaces = await useSurfaces(service)

/** What a caller can be told. Everything else would blame the caller's input on somebody. */
const CALLERS_CODES = [
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'CURSOR_STALE',
  'NOT_READY',
  'SIMULATION_FAILED',
  'URI_TOO_LONG',
  'MAX_KEYS',
  'PERMIT_VOID',
  'PERMIT_UNSUPPORTED',
  'AUTHORIZATION_VOID',
  'AUTHORIZATION_UNSUPPORTED',
]

/** Of what is switched off here, or asks for somebody who has signed in: all after the input was read. */
const CLOSED_CODES = ['WEBHOOKS_DISABLED', 'PORTAL_CLOSED', 'SIGN_IN_FAILED', 'PASSES_OFF', 'UNAUTHORIZED']

function codesOf({ audience }: Operation): readonly string[] {
  const isClosed = ['developers', 'visitors', 'newcomers', 'wallets'].includes(audience)
  return isClosed ? [...CALLERS_CODES, ...CLOSED_CODES] : CALLERS_CODES
}
const SLOWEST_MS = 5000
const TIMEOUT_MS = trialsTimeoutMs(30_000)
const RUNS = trials({ short: 15, nightly: 300 })

/** Without shrinking: a counterexample as it comes is told sooner than a small one. */
const OPTIONS = { numRuns: RUNS, endOnFailure: true }

const Field: z.ZodType<Field> = z.looseObject({
  type: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  get properties() {
    return z.record(z.string(), Field).optional()
  },
})
interface Field {
  type?: string | undefined
  pattern?: string | undefined
  enum?: unknown[] | undefined
  properties?: Record<string, Field> | undefined
}

const JUNK = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('', ' ', '0', '-0', '1e999', 'NaN', 'null', '../..', '%00', '%', "' OR 1=1", '0x', '💥'),
  fc.constantFrom(0, -0, -1, 1e308, 2 ** 53, 0.1, 1e-7),
  fc.string({ minLength: 2000, maxLength: 3000 }),
)
const NAMES = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'id',
    'first',
    'skip',
    'chainid',
    'from',
    'a.b',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Values that fit, or nearly: what a pattern alone allows, and numbers around the limits. */
function fitting({ type, pattern, enum: choices, properties }: Field): fc.Arbitrary<unknown> {
  if (choices !== undefined && choices.length > 0) return fc.constantFrom(...choices)
  // In one case, since a random mixture is a wrong checksum.
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).map((text) => text.toLowerCase())
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer({ min: -2, max: 400 }), fc.maxSafeInteger())
  if (type === 'boolean') return fc.boolean()
  return properties === undefined ? fc.string({ unit: 'grapheme', maxLength: 300 }) : recordOf(properties)
}

/** A long poll that nothing ends is no answer that hangs. */
const SHORT_WAIT = fc.integer({ min: -1, max: 1 })

function recordOf(properties: Record<string, Field>): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, name === 'wait' ? SHORT_WAIT : fitting(field)] as const,
  )
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}

/** An input that fits, mostly, and mostly with something in it that does not. */
function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const { properties = {} } = Field.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  const names = Object.keys(properties)
  const sample = life.sample(operation)
  const optional = Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in sample)))
  const fit = fc.oneof(
    { arbitrary: fc.constant({}), weight: 2 },
    { arbitrary: recordOf(optional), weight: 2 },
    recordOf(properties),
  )
  const spoiled = fc.dictionary(names.length === 0 ? NAMES : fc.constantFrom(...names), JUNK, { maxKeys: 2 })
  const wrong = fc.oneof(
    { arbitrary: fc.constant({}), weight: 3 },
    { arbitrary: spoiled, weight: 2 },
    fc.dictionary(NAMES, JUNK, { maxKeys: 3 }),
  )
  return fc.tuple(fit, wrong).map(([given, replaced]) => ({ ...sample, ...given, ...replaced }))
}

const CHAIN_IDS = fc.oneof({ arbitrary: fc.constant(String(life.chain.chainId)), weight: 4 }, JUNK)
/** Not a block ahead: waiting for it, and 503, is what `minBlock` promises. */
const BLOCKS = fc.oneof(
  fc.constant(0),
  fc.string().filter((text) => !/^\d+$/.test(text)),
)
const PARAMETERS = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  fc.record({ chainId: CHAIN_IDS }),
  fc.record({ chainId: CHAIN_IDS, minBlock: BLOCKS }, { requiredKeys: [] }),
)

async function within(work: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It hangs')), SLOWEST_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)

describe('whatever the input is, it is answered or refused, and never fails the service', () => {
  it.each(named(operations.filter(({ rest }) => rest !== null)))(
    '%s over REST',
    async (_name, operation) => {
      await fc.assert(
        fc.asyncProperty(inputOf(operation), PARAMETERS, async (input, parameters) => {
          const { status, failed, body } = await within(surfaces.rest(operation, input, parameters))
          expect(status).toBeLessThan(500)
          if (failed) expect(codesOf(operation)).toContain(body.code)
        }),
        OPTIONS,
      )
    },
    TIMEOUT_MS,
  )

  it.each(named(operations.filter(({ tool }) => tool)))(
    '%s as a tool',
    async (_name, operation) => {
      await fc.assert(
        fc.asyncProperty(inputOf(operation), PARAMETERS, async (input, parameters) => {
          const { failed, body } = await within(surfaces.tool(operation, input, parameters))
          if (failed) expect(codesOf(operation)).toContain(body.code)
        }),
        OPTIONS,
      )
    },
    TIMEOUT_MS,
  )

  const requests = fc.record({
    path: fc.oneof(
      fc.webPath(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('/mcp', '/api/mcp', '/prepare/remit'),
    ),
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'),
    body: fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
    type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=x', ''),
    accept: fc.oneof(
      fc.constantFrom('*/*', 'application/json, text/event-stream', 'text/html'),
      fc.string({ maxLength: 30 }),
    ),
  })

  it(
    'any request',
    async () => {
      await fc.assert(
        fc.asyncProperty(requests, async ({ path, method, body, type, accept }) => {
          const url = new URL(`${service.url}/${encodeURI(path.replace(/\p{Cs}/gu, '')).replace(/^\//, '')}`)
          const response = await fetch(url, {
            method,
            headers: { 'Content-Type': type, Accept: accept.replace(/[^\x20-\x7e]/g, '?') },
            ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
            signal: AbortSignal.timeout(SLOWEST_MS),
          })
          await response.text()
          expect(response.status).toBeLessThan(500)
          expect(response.headers.get('x-request-id')).toBeTruthy()
          expect(response.headers.get('x-service-lane')).toBe('free')
        }),
        { ...OPTIONS, numRuns: trials({ short: 100, nightly: 3_000 }) },
      )
    },
    TIMEOUT_MS,
  )

  it('and nothing of it was worth a line of the log beside its own', () => {
    const expected = /^(request |An MCP request was refused)/
    expect(service.logged.filter((line) => !expected.test(line))).toEqual([])
  })
})
