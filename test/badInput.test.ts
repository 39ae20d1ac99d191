import { isDeepStrictEqual } from 'node:util'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { readArguments } from '@remit/service/testing/surfaces/mcp/readArguments'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { STRANGE_ADDRESS, useLife } from './parity/life.ts'
import { type Input, useSurfaces } from './parity/surfaces.ts'
import { indexed } from './support/service/indexed.ts'
import { useTestService } from './support/service/testService.ts'

const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)
const surfaces = await useSurfaces(service)

const CHECKSUMMED = life.chain.wallets.alice
/** One letter of the checksum turned around. */
const WRONG_CHECKSUM = CHECKSUMMED.replace(/[a-f]/, (letter) => letter.toUpperCase())

const ADDRESSES = [
  ['no hex', `0x${'g'.repeat(40)}`],
  ['too short', CHECKSUMMED.slice(0, -1)],
  ['too long', `${CHECKSUMMED}0`],
  ['without 0x', CHECKSUMMED.slice(2)],
  ['with a wrong checksum', WRONG_CHECKSUM],
  ['a name', 'vitalik.eth'],
  ['a number', 5],
  ['null', null],
  ['a list', [CHECKSUMMED]],
] as const
const HASHES = [
  ['no hex', `0x${'z'.repeat(64)}`],
  ['too short', `0x${'1'.repeat(63)}`],
  ['too long', `0x${'1'.repeat(65)}`],
  ['without 0x', '1'.repeat(64)],
  ['an address', CHECKSUMMED],
  ['a number', 1],
  ['null', null],
] as const
const AMOUNTS = [
  ['negative', '-1'],
  ['with an exponent', '1e3'],
  ['with too many decimals', '1.1234567'],
  ['beyond uint256', `1${'0'.repeat(77)}`],
  ['beyond any number', '9'.repeat(100)],
  ['with a leading zero', '01'],
  ['with a comma', '1,5'],
  ['with a space', ' 1'],
  ['hex', '0x10'],
  ['not finite', 'Infinity'],
  ['empty', ''],
  ['a JSON number', 10],
] as const
const NUMBERS = [
  ['a word', 'abc'],
  ['a fraction', 1.5],
  ['beyond exact', 2 ** 53],
  ['an exponent', '1e0'],
  ['a boolean', true],
  ['null', null],
  ['a list', [1]],
] as const
const BOOLEANS = [
  ['a word', 'yes'],
  ['a number', 1],
  ['in capitals', 'TRUE'],
  ['null', null],
] as const

const Field = z.looseObject({
  type: z.string().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  get properties() {
    return z.record(z.string(), Field).optional()
  },
})
type Field = z.output<typeof Field>

/** Invalid values, by what the schema says of a field. */
function badValues(name: string, { type, pattern = '', minimum, maximum }: Field) {
  if (name === 'amount') return AMOUNTS
  if (pattern.includes('{40}')) return ADDRESSES
  if (pattern.includes('{64}')) return HASHES
  if (type === 'integer' || type === 'number') {
    const beyond = [
      minimum === undefined ? [] : [minimum - 1],
      maximum === undefined ? [] : [maximum + 1],
    ].flat()
    return [...NUMBERS, ...beyond.map((value) => ['out of range', value] as const)]
  }
  return type === 'boolean' ? BOOLEANS : []
}

function badFields(operation: Operation) {
  return badFieldsIn(Field.parse(z.toJSONSchema(operation.input, { io: 'input' })), [])
}

/** Of objects inside of the input too, each by its path. */
function badFieldsIn({ properties = {} }: Field, within: readonly string[]): BadField[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = [...within, name]
    const bad = badValues(name, field).map(([kind, value]) => ({ path, kind, value }))
    return [...bad, ...badFieldsIn(field, path)]
  })
}

interface BadField {
  readonly path: readonly string[]
  readonly kind: string
  readonly value: unknown
}

/** The input with one field replaced. */
function replaced(input: Input, [name = '', ...inside]: readonly string[], value: unknown): Input {
  const inner = z.record(z.string(), z.unknown()).safeParse(input[name]).data ?? {}
  return { ...input, [name]: inside.length === 0 ? value : replaced(inner, inside, value) }
}

const onBoth = operations.filter(({ tool, rest }) => tool && rest !== null)
const onChains = onBoth.filter(({ onChain }) => onChain)
const withFields = onChains.filter((operation) => badFields(operation).length > 0)
const posts = operations.filter(({ rest }) => rest?.method === 'POST')
const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)

const refusedFor = (path: string) => ({
  failed: true,
  body: { code: 'VALIDATION_ERROR', issues: expect.arrayContaining([expect.objectContaining({ path })]) },
})

/** Refused for this field, unless it is a form that tools read as what it can only mean. */
async function expectRefusedTool(operation: Operation, input: Input, parameters: Input, field: string) {
  const given = { ...input, ...parameters }
  if (!isDeepStrictEqual(readArguments(operation, given), given)) return
  const answer = await surfaces.tool(operation, input, parameters)
  expect({ given, ...answer }).toMatchObject(refusedFor(field))
}

describe('an invalid field is refused by its name on both surfaces', () => {
  it.each(named(withFields))('%s', async (_name, operation) => {
    for (const { path, kind, value } of badFields(operation)) {
      const input = replaced(life.sample(operation), path, value)
      const field = path.join('.')
      const rest = await surfaces.rest(operation, input)
      expect({ field, kind, ...rest }).toMatchObject({ field, kind, status: 400, ...refusedFor(field) })
      await expectRefusedTool(operation, input, {}, field)
    }
  })

  it.each(named(withFields))('%s: a field that is left out', async (_name, operation) => {
    const sample = life.sample(operation)
    const required = Object.keys(sample).filter(
      (field) => !operation.input.shape[field]?.safeParse(undefined).success,
    )
    for (const field of required) {
      const input = Object.fromEntries(Object.entries(sample).filter(([name]) => name !== field))
      expect(await surfaces.tool(operation, input)).toMatchObject(refusedFor(field))
      if (operation.rest?.path.includes(`:${field}`)) continue
      expect(await surfaces.rest(operation, input)).toMatchObject({ status: 400, ...refusedFor(field) })
    }
  })
})

describe('an invalid chain is refused on both surfaces', () => {
  const chainIds = [
    'x',
    '',
    '0',
    '-1',
    '1e3',
    '31337.0',
    '0x7a69',
    'eip155:',
    'eip155:x',
    'EIP155:31337',
    'eip155:031337',
    '99999999999999999999',
    // Unknown, and known without being served.
    '424242',
    '84532',
  ]

  it.each(named(onBoth))('%s', async (_name, operation) => {
    const input = life.sample(operation)
    for (const chainId of chainIds) {
      const rest = await surfaces.rest(operation, input, { chainId })
      expect({ chainId, ...rest }).toMatchObject({ chainId, status: 400, ...refusedFor('chainId') })
      await expectRefusedTool(operation, input, { chainId }, 'chainId')
    }
    for (const chainId of [0, -1, 1.5, 424242, null, true, {}]) {
      await expectRefusedTool(operation, input, { chainId }, 'chainId')
    }
  })
})

it('an unknown token is not found by reads, and not ready for prepares', async () => {
  // Where it only narrows a search, nothing is found.
  for (const operation of onChains.filter((each) => 'token' in life.sample(each))) {
    const input = { ...life.sample(operation), token: STRANGE_ADDRESS }
    const expected =
      operation.effect === 'read'
        ? { code: 'NOT_FOUND' }
        : { code: 'NOT_READY', issues: [expect.objectContaining({ code: 'TOKEN_NOT_APPROVED' })] }
    const status = operation.effect === 'read' ? 404 : 422
    expect(await surfaces.rest(operation, input)).toMatchObject({ status, body: expected })
    expect(await surfaces.tool(operation, input)).toMatchObject({ failed: true, body: expected })
  }
})

it('an invalid block is refused wherever a chain is asked', async () => {
  for (const operation of onChains) {
    for (const minBlock of [-1, 1.5, 'latest', null]) {
      const [input, parameters] = [life.sample(operation), { minBlock }]
      expect(await surfaces.rest(operation, input, parameters)).toMatchObject({
        status: 400,
        ...refusedFor('minBlock'),
      })
      await expectRefusedTool(operation, input, parameters, 'minBlock')
    }
  }
})

it.each(named(posts))(
  '%s: chainId is a parameter of the address and not of the body',
  async (_name, operation) => {
    const input = { ...life.sample(operation), chainId: String(life.chain.chainId) }
    expect(await surfaces.rest(operation, input)).toMatchObject({ status: 400, ...refusedFor('chainId') })
  },
)
