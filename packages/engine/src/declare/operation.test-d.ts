/** What must not compile. Nothing here is run: tsc fails where one of these lines has no error any more. */

import { defineServiceOperation } from '@remit/service/testing/calls/serviceOperation'
import * as z from 'zod'
import { Address } from '../schema/hex.ts'
import { Uint256 } from '../schema/numbers.ts'
import { defineOperation } from './operation.ts'

const declared = {
  name: 'get_thing',
  effect: 'read',
  summary: 'A thing',
} as const

export const sound = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things/:id/of/:owner' },
  input: z.object({ id: z.string(), owner: Address, first: z.int().optional() }),
  output: z.object({ amountRaw: Uint256 }),
  handle: async ({ input, chain }) => ({ amountRaw: BigInt(input.first ?? chain.today) }),
})

export const soundWithoutRoute = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({}),
  output: z.object({ day: z.int() }),
  handle: async ({ chain }) => ({ day: chain.today, warnings: [{ code: 'GAS_HEURISTIC', message: 'b' }] }),
})

export const pathParameterMissing = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things/:id/of/:owner' },
  // @ts-expect-error `owner` is in the path and not in the input
  input: z.object({ id: z.string() }),
  output: z.object({}),
  handle: async () => ({}),
})

export const lastPathParameterMissing = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'POST', path: '/things/:id' },
  // @ts-expect-error `id` is in the path and not in the input
  input: z.object({}),
  output: z.object({}),
  handle: async () => ({}),
})

export const wireTypeAnswered = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ amountRaw: Uint256 }),
  // @ts-expect-error handlers answer in inside types: a bigint, which the codec writes as a decimal string
  handle: async () => ({ amountRaw: '1' }),
})

export const fieldLeftOut = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ amountRaw: Uint256, count: z.int() }),
  // @ts-expect-error `count` is declared and not answered
  handle: async () => ({ amountRaw: 1n }),
})

export const serviceFromChain = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ version: z.string() }),
  // @ts-expect-error an operation on a chain does not see the service
  handle: async ({ service }) => ({ version: service.version }),
})

export const chainFromService = defineServiceOperation({
  ...declared,
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ day: z.int() }),
  // @ts-expect-error an operation on the service sees no chain
  handle: async ({ chain }) => ({ day: chain.today }),
})

export const undeclaredInput = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({ first: z.int() }),
  output: z.object({ skip: z.int() }),
  // @ts-expect-error `skip` is no field of the input
  handle: async ({ input }) => ({ skip: input.skip }),
})

export const surfaceKnown = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ surface: z.string() }),
  // @ts-expect-error a handler never learns which surface called it
  handle: async ({ surface }) => ({ surface }),
})

export const otherMethod = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  // @ts-expect-error nothing here is changed by a request, so there is no PUT
  rest: { method: 'PUT', path: '/things' },
  input: z.object({}),
  output: z.object({}),
  handle: async () => ({}),
})

export const soundOfKeys = defineServiceOperation({
  ...declared,
  effect: 'manage',
  access: 'keys',
  rest: { method: 'DELETE', path: '/keys/:id' },
  tool: false,
  input: z.object({ id: z.string() }),
  output: z.object({ label: z.string().nullable() }),
  handle: async ({ input, keys }) => ({ label: (await keys.revoke(input.id)).label }),
})

export const keysFromChain = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({}),
  // @ts-expect-error what reads a chain does not see keys
  handle: async ({ keys }) => keys,
})

export const indexInPrepare = defineOperation({
  ...declared,
  kind: 'prepare',
  access: 'write',
  rest: { method: 'POST', path: '/prepare/things' },
  input: z.object({}),
  output: z.object({}),
  // @ts-expect-error a prepare can be made in another thread, where there is no index
  handle: async ({ askIndex }) => askIndex,
})

export const unpriced = defineOperation({
  ...declared,
  kind: 'chain',
  // @ts-expect-error what it costs and who may make it is a row of the table
  access: 'cheap',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({}),
  handle: async () => ({}),
})

export const soundFromIndex = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things/:id' },
  input: z.object({ id: z.string() }),
  output: z.object({ count: z.int() }),
  withoutIndex: { rows: [], reported: true },
  query: ({ history }) => history.tokens(),
  handle: async ({ rows, chain }) => ({ count: rows.length + chain.today }),
})

export const rowsOfAnotherKind = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ count: z.int() }),
  query: ({ history }) => history.tokens(),
  // @ts-expect-error the rows are what `query` gives
  handle: async ({ rows }) => ({ count: rows.total }),
})

export const chainInQuery = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: { method: 'GET', path: '/things' },
  input: z.object({}),
  output: z.object({ day: z.int() }),
  // @ts-expect-error a query of the index waits for no chain
  query: async ({ chain }) => chain.today,
  handle: async ({ chain }) => ({ day: chain.today }),
})

export const keptReads = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({ first: z.int() }),
  output: z.object({ day: z.int() }),
  atBlock: async ({ input, chain, lane }) => ({ day: chain.today + input.first + lane.length }),
})

export const keptReadsTheClock = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({}),
  output: z.object({ second: z.int() }),
  // @ts-expect-error what is kept for a block cannot know the second
  atBlock: async ({ chain }) => ({ second: chain.now }),
})

export const keptKnowsItsCaller = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({}),
  output: z.object({ subject: z.string() }),
  // @ts-expect-error what is kept is sent to other callers too
  atBlock: async ({ subject }) => ({ subject: subject ?? '' }),
})

export const keptFromIndexKnowsItsRequest = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({}),
  output: z.object({ requestId: z.string() }),
  query: async () => [],
  // @ts-expect-error as above
  atBlock: async ({ requestId }) => ({ requestId }),
})

// @ts-expect-error an operation answers in one way
export const bothWays = defineOperation({
  ...declared,
  kind: 'chain',
  access: 'read',
  rest: null,
  input: z.object({}),
  output: z.object({ day: z.int() }),
  handle: async ({ chain }) => ({ day: chain.today }),
  atBlock: async ({ chain }) => ({ day: chain.today }),
})
