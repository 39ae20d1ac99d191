import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { type Address, numberToHex, pad } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { type Input, type Outcome, useSurfaces } from '../parity/surfaces.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { trials } from '../support/runner/trials.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'

const life = await useLife()
const { chain } = life
const service = await useTestService([chain])
await indexed(service, chain)
const surfaces = await useSurfaces(service)

const NO_METHOD = { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
/** Proves by other means, which lay code over the wallet's own address. */
const older = await useCountingProxy(chain.url)
older.fail({ answer: ({ method }) => (method === 'eth_simulateV1' ? NO_METHOD : undefined) })
const overOlder = await useSurfaces(await useTestService([{ ...chain, url: older.url }]))

/** They are alike but for what they compute: here the first three speak for the others, and at night each for itself. */
const PRECOMPILES = trials({ short: 3, nightly: 10 })

/** Addresses that nobody signs for, and that contracts, nodes and overrides treat in a way of their own. */
const SPECIAL: readonly (readonly [string, Address])[] = [
  ['the zero address', pad('0x0', { size: 20 })],
  ...Array.from({ length: PRECOMPILES }, (_, index): [string, Address] => [
    `the precompile 0x${(index + 1).toString(16)}`,
    pad(numberToHex(index + 1), { size: 20 }),
  ]),
  ['the precompile 0x100', pad('0x100', { size: 20 })],
  ['the protocol’s contract', chain.contract],
  ['the token', chain.tokens.usdc],
  ['another token', chain.tokens.dai],
  // Where reads lend the lens its place.
  ['the lens', '0x52454d49544c454e5300000000000000005245ad'],
  ['the highest address', `0x${'f'.repeat(40)}`],
  ['a provider', chain.wallets.provider],
]

const Field = z.looseObject({
  pattern: z.string().optional(),
  get properties() {
    return z.record(z.string(), Field).optional()
  },
})
type Field = z.output<typeof Field>

/** The paths of all fields that take an address, inside of objects too. */
function addressFields({ properties = {} }: Field, within: readonly string[] = []): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = [...within, name]
    return field.pattern?.includes('{40}') ? [path] : addressFields(field, path)
  })
}

function replaced(input: Input, [name = '', ...inside]: readonly string[], value: unknown): Input {
  const inner = z.record(z.string(), z.unknown()).safeParse(input[name]).data ?? {}
  return { ...input, [name]: inside.length === 0 ? value : replaced(inner, inside, value) }
}

const withAddresses = operations.flatMap((operation) => {
  // Nothing is asked of a node: an address there is only a filter.
  if (operation.audience === 'developers') return []
  const fields = addressFields(Field.parse(z.toJSONSchema(operation.input, { io: 'input' })))
  return fields.length > 0 ? [[operation.name, operation, fields] as const] : []
})

/** What a caller can be told of an address; everything else would blame somebody else. */
const CALLERS_CODES = [
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'NOT_READY',
  'SIMULATION_FAILED',
  'SUBSCRIPTION_MISMATCH',
  'PERMIT_VOID',
  'PERMIT_UNSUPPORTED',
  'AUTHORIZATION_VOID',
  'AUTHORIZATION_UNSUPPORTED',
]

type Ask = (input: Input) => Promise<Outcome>

/** REST and tools lead to the same operation: here they take turns, and at night each is asked everything. */
const askedEach = trials({ short: 1, nightly: 2 })

async function answeredWell(
  operation: Operation,
  fields: readonly string[][],
  ways: readonly Ask[],
): Promise<void> {
  const wrong: unknown[] = []
  for (const [place, path] of fields.entries()) {
    for (const [turn, [kind, address]] of SPECIAL.entries()) {
      const input = replaced(life.sample(operation), path, address)
      const asked = ways.filter((_, way) => askedEach > 1 || (place + turn) % ways.length === way)
      for (const ask of asked) {
        const { status = 200, failed, body } = await ask(input)
        if (status >= 500 || (failed && !CALLERS_CODES.includes(String(body.code)))) {
          wrong.push({ field: path.join('.'), kind, status, body })
        }
      }
    }
  }
  expect(wrong).toEqual([])
}

describe('an address that nobody signs for is answered or refused, and never blamed on a node', () => {
  it.each(withAddresses)('%s', async (_name, operation, fields) => {
    const rest: Ask = (input) => surfaces.rest(operation, input)
    const tool: Ask = (input) => surfaces.tool(operation, input)
    await answeredWell(operation, fields, operation.tool ? [rest, tool] : [rest])
  })

  it.each(withAddresses.filter(([, { effect }]) => effect === 'prepare'))(
    '%s, over a node without eth_simulateV1',
    async (_name, operation, fields) => {
      const signing = fields.filter(([name]) => name === 'from' || name === 'simulateFromAddress')
      await answeredWell(operation, signing, [(input) => overOlder.rest(operation, input)])
    },
  )
})

it('the zero address is read as any other', async () => {
  const from = pad('0x0', { size: 20 })
  const { status, body } = await service.post('/prepare/revoke_allowance', { from, token: chain.tokens.usdc })
  expect(status).toBe(422)
  expect(body).toMatchObject({ code: 'NOT_READY', issues: [{ code: 'NOTHING_TO_REVOKE' }] })
  const ready = await service.post('/check_subscribe_readiness_by_id', { from, id: life.subscriptionId })
  expect(ready).toMatchObject({
    status: 200,
    body: { ready: false, details: { balance: { amount: '0' }, allowance: { amount: '0' } } },
  })
})
