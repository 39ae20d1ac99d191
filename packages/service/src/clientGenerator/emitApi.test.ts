import { Quantity } from '@remit/engine/schema/amount'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { HexQuantity, IsoTime, Uint256 } from '@remit/engine/schema/numbers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Operation } from '../calls/serviceOperation.ts'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { operations } from '../operations/index.ts'
import { emitApi } from './emitApi.ts'
import { emitOperations } from './emitOperations.ts'
import { readMethods } from './Method.ts'

const declared = { effect: 'read', access: 'read', summary: 'A thing', tool: false } as const

function things(output: z.ZodRawShape, input: z.ZodRawShape = {}): Operation {
  return defineServiceOperation({
    ...declared,
    name: 'list_things',
    rest: { method: 'GET', path: '/things' },
    input: z.object(input),
    output: z.object(output),
    handle: async () => ({}),
  })
}

function emit(list: readonly Operation[]): { api: string; table: string } {
  const { methods, named } = readMethods(list)
  return { api: emitApi(methods, named), table: emitOperations(methods, named) }
}

describe('an operation', () => {
  const operation = defineServiceOperation({
    ...declared,
    name: 'get_thing_of_owner',
    description: 'Ends no */ comment.',
    rest: { method: 'GET', path: '/things/:id' },
    input: z.object({ id: SubscriptionId, owner: Address.optional().describe('Whose.') }),
    output: z.object({
      price: Quantity,
      raw: Uint256.nullable().describe('null where it has none.'),
      value: HexQuantity,
      at: IsoTime,
      kind: z.enum(['a', 'b']),
      level: z.literal([0, 1]),
      notes: z.array(z.string().nullable()).optional(),
      facts: z.looseObject({ code: z.string() }),
    }),
    handle: async () => ({
      price: { amount: '1', amountRaw: 1n, tokenDecimals: 0 },
      raw: null,
      value: 0n,
      at: '',
      kind: 'a' as const,
      level: 0 as const,
      facts: { code: '' },
    }),
  })
  const { api, table } = emit([operation])

  it('is a method with types that say what its schemas say', () => {
    expect(api.slice(api.indexOf('/** What `getThingOfOwner` takes'))).toMatchInlineSnapshot(`
      "/** What \`getThingOfOwner\` takes. */
      export interface GetThingOfOwnerInput {
        /** Subscription id: 32 bytes as 0x-prefixed hex. */
        id: Hex
        /** Whose. */
        owner?: Address | undefined
      }

      /** What \`getThingOfOwner\` answers. */
      export interface GetThingOfOwnerAnswer {
        price: Quantity
        /** null where it has none. */
        raw: bigint | null
        value: bigint
        /** The same moment in ISO 8601, UTC. */
        at: Date
        kind: Open<'a' | 'b'>
        level: 0 | 1
        notes?: (string | null)[]
        facts: {
          code: string
          [fact: string]: unknown
        }
      }

      /** Every operation of the service. */
      export interface Api {
        /**
         * A thing.
         *
         * Ends no * / comment.
         *
         * \`GET /things/:id\`
         */
        getThingOfOwner(input: GetThingOfOwnerInput, options?: CallOptions): Promise<GetThingOfOwnerAnswer>
      }

      /** Every operation that pages, row by row. */
      export interface Each {
      }
      "
    `)
  })

  it('is a row that requests and answers are made by', () => {
    expect(table.slice(table.indexOf('export const operations'))).toMatchInlineSnapshot(`
      "export const operations: Readonly<Record<string, OperationRow>> = {
        getThingOfOwner: {
          method: 'GET',
          path: '/things/:id',
          repeatable: true,
          answer: { price: ['named', 'Quantity'], raw: ['nullable', 'decimal'], value: 'hexQuantity', at: 'time', kind: 'string', level: ['oneOf', 0, 1], 'notes?': ['list', ['nullable', 'string']], facts: { code: 'string' } },
        },
      }
      "
    `)
  })
})

it('narrows variants by an exact value, and spells what they share once', () => {
  const seen = z.object({ type: z.literal('seen'), at: IsoTime, data: z.object({}) })
  const paid = z.object({ type: z.literal('paid'), at: IsoTime, data: z.object({ price: Uint256 }) })
  const event = z.discriminatedUnion('type', [seen, paid]).meta({ id: 'Event' })
  const { api, table } = emit([things({ event })])
  expect(/export type Event[\s\S]+?\n\}\)/.exec(api)?.[0]).toMatchInlineSnapshot(`
    "export type Event = {
      /** The same moment in ISO 8601, UTC. */
      at: Date
    } & ({
      type: 'seen'
      data: Record<string, never>
    } | {
      type: 'paid'
      data: {
        price: bigint
      }
    })"
  `)
  expect(/Event: .+/.exec(table)?.[0]).toMatchInlineSnapshot(
    `"Event: ['variants', 'type', { type: 'string', at: 'time' }, { seen: { data: {} }, paid: { data: { price: 'decimal' } } }],"`,
  )
})

it('takes any operation that the list may have: nothing in the client names one', () => {
  const more = things(
    { things: z.array(Quantity), nextCursor: z.string().nullable() },
    { after: z.string().optional() },
  )
  const { api, table } = emit([...operations, more])
  expect(api).toContain('listThings(input?: ListThingsInput')
  expect(api).toContain("AsyncGenerator<ListThingsAnswer['things'][number], void, undefined>")
  expect(table).toContain("rows: 'things'")
})

it.each<[string, Operation]>([
  ['supports unions with null only', things({ either: z.union([z.object({ a: z.string() }), z.string()]) })],
  [
    'need a field whose value tells them apart',
    things({
      one: z.discriminatedUnion('kind', [
        z.object({ kind: z.enum(['a', 'b']) }),
        z.object({ kind: z.enum(['c', 'd']) }),
      ]),
    }),
  ],
  [
    'needs nextCursor and a list of rows',
    things({ things: z.array(z.string()) }, { after: z.string().optional() }),
  ],
  ['The client has no type for a schema.pair', things({ pair: z.tuple([z.string(), z.string()]) })],
  ['list_things.value is a hex quantity, which the client cannot send', things({}, { value: HexQuantity })],
])('what the client cannot express is refused when it is generated: %s', (message, operation) => {
  expect(() => emit([operation])).toThrow(message)
})
