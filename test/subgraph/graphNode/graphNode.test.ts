import { expect, test } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { reorganise } from '../reorganise.ts'
import { tellStory } from '../story.ts'
import { useGraphNode } from './useGraphNode.ts'

// What the tests of the source rely on: that this node refuses what graph-node refuses.

const chain = await useTestChain({ reorganises: true })
await tellStory(chain)
await chain.keep()
const graph = await useGraphNode(chain)

const Rows = z.array(z.object({ id: z.string(), blockNumber: z.string() }))
const Answer = z.object({
  data: z.object({ all: Rows, some: Rows, none: Rows, _meta: z.unknown() }).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
})

async function ask(query: string, variables: Record<string, unknown> = {}) {
  const body = JSON.stringify({ query, variables })
  const response = await fetch(graph.url, { method: 'POST', body })
  return Answer.parse(await response.json())
}

test.each<[string, string, Record<string, unknown>, RegExp]>([
  ['a field that the schema lacks', '{ subLogs { id, name } }', {}, /Cannot query field/],
  ['a list that the schema lacks', '{ subscriptions { id } }', {}, /Cannot query field/],
  ['a filter that it does not make', '{ subLogs(where: { id_over: "0x" }) { id } }', {}, /not defined/],
  [
    'the hash of a block that it has never seen',
    `{ subLogs(block: { hash: "0x${'ab'.repeat(32)}" }) { id } }`,
    {},
    /Failed to decode `block.hash` value: `no block with that hash found`/,
  ],
  ['more than 1000 rows', '{ subLogs(first: 1001) { id } }', {}, /between 0 and 1000, but is 1001/],
  ['more than 5000 rows skipped', '{ subLogs(skip: 5001) { id } }', {}, /between 0 and 5000, but is 5001/],
  ['a number in place of a BigInt', '{ subLogs(where: { amount: 1.5 }) { id } }', {}, /Invalid value/],
  [
    'a variable of another type',
    'query Q($b: BigInt!) { subLogs(where: { id: $b }) { id } }',
    { b: '1' },
    /type "BigInt!" used in position expecting type "Bytes"/,
  ],
  [
    'a variable that is no hex',
    'query Q($b: Bytes!) { subLogs(where: { id: $b }) { id } }',
    { b: 'xyz' },
    /Invalid value provided for a Bytes/,
  ],
  ['a variable that is missing', 'query Q($n: Int!) { subLogs(first: $n) { id } }', {}, /was not provided/],
  [
    'a block that it has not indexed',
    '{ subLogs(block: { number: 1000 }) { id } }',
    {},
    /has only indexed up to block number 22/,
  ],
])('refuses %s', async (_, query, variables, message) => {
  const answer = await ask(query, variables)
  expect(answer.errors?.[0]?.message).toMatch(message)
  expect(answer.data ?? null).toBeNull()
})

test('gives the rows of a block, in the order of a field and then of ids, and no more than asked for', async () => {
  const fields = '{ id blockNumber }'
  const { data } = await ask(`{
    all: subLogs(first: 1000, orderBy: blockNumber) ${fields}
    some: subLogs(first: 3, skip: 1, orderBy: blockNumber, orderDirection: asc, block: { number: 9 }) ${fields}
    none: subLogs(where: { blockNumber_gte: "23" }) ${fields}
    _meta(block: { number: 9 }) { block { number hash } }
  }`)
  if (!data) throw new Error('there is no data')
  const order = ({ blockNumber, id }: { blockNumber: string; id: string }): [number, string] => [
    Number(blockNumber),
    id,
  ]
  const all = data.all.map(order)
  expect(all).toEqual([...all].sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)))
  expect(data.some.map(order)).toEqual(all.filter(([block]) => block <= 9).slice(1, 4))
  expect(data.none).toEqual([])
  // A block that is asked for by its number is named by that alone.
  expect(data._meta).toEqual({ block: { number: 9, hash: null } })
})

test('gives rows of a lost branch for a number that it was asked for before, and by hash those of the new one', async () => {
  await protocolOn(chain).create()
  const { number, hash: lost } = await chain.client.getBlock()
  const count = async (at: string) => {
    const { data } = await ask(`{
      all: subLogs(block: { ${at} }, first: 1000) { id blockNumber }
      some: subLogs(first: 0) { id blockNumber }
      none: subLogs(first: 0) { id blockNumber }
      _meta { block { hash } }
    }`)
    return data?.all.length ?? 0
  }
  const before = await count(`number: ${number}`)
  await reorganise(chain, 1)
  const { hash } = await chain.client.getBlock()
  expect(await count(`number: ${number}`)).toBe(before)
  expect(await count(`hash: "${hash}"`)).toBe(before - 1)
  // It does not say that the block was lost.
  expect(await count(`hash: "${lost}"`)).toBe(before - 1)
})
