import { Address } from '@remit/engine/schema/hex'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { defineServiceOperation } from '../../calls/serviceOperation.ts'
import { operations } from '../../operations/index.ts'
import { readArguments } from './readArguments.ts'

const operation = defineServiceOperation({
  name: 'do_thing',
  effect: 'read',
  access: 'read',
  summary: 'A thing',
  rest: null,
  input: z.object({
    owner: Address,
    amount: z.string().optional(),
    first: z.int().optional(),
    fresh: z.boolean().optional(),
    details: z.strictObject({ url: z.string(), size: z.int().optional() }).optional(),
    types: z
      .array(z.enum(['a', 'b']))
      .nullable()
      .optional(),
    often: z.union([z.literal([0, 1]), z.enum(['weekly', '1'])]).optional(),
  }),
  output: z.object({}),
  handle: async () => ({}),
})

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a whole number in quotes', { first: '5' }, { first: 5 }],
  ['an answer in quotes, as Python writes it too', { fresh: 'True' }, { fresh: true }],
  ['null for what may be left out', { first: null, details: null, types: null, chainId: null }, {}],
  ['an object as text', { details: '{"url": "x", "size": "3"}' }, { details: { url: 'x', size: 3 } }],
  ['null within an object', { details: { url: 'x', size: null } }, { details: { url: 'x' } }],
  ['a list as text', { types: '["a"]' }, { types: ['a'] }],
  ['null in quotes where null says something', { types: 'null' }, { types: null }],
  ['a number where text is wanted', { amount: 10.5, chainId: 8453 }, { amount: '10.5', chainId: '8453' }],
  ['one field of several forms', { often: 1 }, { often: 1 }],
  ['a text that is one of its choices', { often: '1' }, { often: '1' }],
  ['a text that is none of them', { often: '0' }, { often: 0 }],
])('reads %s', (_what, given, read) => {
  expect(readArguments(operation, given)).toEqual(read)
})

it.each<[string, Record<string, unknown>]>([
  ['null for what is needed', { owner: null }],
  ['a number that is not exact in JSON', { first: '9007199254740993', amount: 1e21 }],
  ['an amount of more digits than a number carries', { amount: Number('0.12345678901234567') }],
  ['words for a number', { first: 'five', details: 'none' }],
  ['a number for an answer', { fresh: 1 }],
  ['a text that says a name twice', { details: '{"url": "x", "url": "y"}' }],
  ['text that looks like something else', { amount: 'true' }],
  ['what is not known', { surplus: null, other: '5' }],
])('leaves %s to the schema, which refuses it by name or takes it as it is', (_what, given) => {
  expect(readArguments(operation, given)).toEqual(given)
})

it('changes nothing of what fits', () => {
  const given = {
    owner: `0x${'a'.repeat(40)}`,
    amount: '10',
    first: 5,
    fresh: false,
    types: ['a'],
    often: 'weekly',
  }
  expect(readArguments(operation, given)).toEqual(given)
})

it('takes null for every field of every tool that may be left out', () => {
  for (const each of operations.filter(({ tool }) => tool)) {
    const { properties = {}, required = [] } = z.toJSONSchema(each.input, { io: 'input' })
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    expect(readArguments(each, Object.fromEntries(optional.map((name) => [name, null])))).toEqual({})
  }
})
