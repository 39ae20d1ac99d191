import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NeedsServiceError } from '@remit/client'
import { nodeOperations } from '@remit/client/testing/generated/nodeOperations'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { createPublicClient, custom, http } from 'viem'
import { describe, expect, it } from 'vitest'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { corpusOf } from './corpus.ts'
import { useLife } from './life.ts'
import type { Input } from './surfaces.ts'
import { clientName, useTypedClient } from './typedClient.ts'

const life = await useLife()
const { chainId, url, contract, tokens } = life.chain
/** A clock that stands still, as every answer is dated by it: the chain's has been quiet for two hours. */
const wallMs = (Number((await life.chain.client.getBlock()).timestamp) + 2 * 3_600) * 1_000
const unindexed = await useTestService([life.chain], { [`INDEX_${chainId}`]: 'off' }, () => wallMs)
const service = await useTestService([life.chain], {}, () => wallMs)
await indexed(service, life.chain)

const own = {
  contracts: { [chainId]: contract },
  tokens: Object.values(tokens),
  retries: 0,
  now: () => wallMs,
}
const alone = useTypedClient({ node: url, ...own })
const withUnindexed = useTypedClient({ url: unindexed.url, retries: 0 })
const atNode = operations.filter((operation) => nodeOperations[clientName(operation)] !== undefined)
const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)

/** Asks both at once. A node does not say what its chain is called. */
async function expectSame(operation: Operation, input: Input): Promise<number | undefined> {
  const [here, there] = await Promise.all([
    alone.call(operation, input),
    withUnindexed.call(operation, input),
  ])
  const named = JSON.parse(
    JSON.stringify(there).replaceAll(`to Test chain ${chainId} `, `to Chain ${chainId} `),
  )
  expect({ input, ...here, headers: null }).toEqual({ input, ...named, headers: null })
  return here.status
}

/** Inputs that can be sent: without what stands in the path, a client sends nothing. */
function sendable(operation: Operation): readonly Input[] {
  const inPath = [...(operation.rest?.path ?? '').matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return corpusOf(life, operation).filter((input) => inPath.every((name) => name in input))
}

describe('a client over a node alone answers as a service without an index, at the same block', () => {
  it('what every operation that needs nothing but a chain answers', () => {
    expect(atNode).toHaveLength(Object.keys(nodeOperations).length)
    expect(atNode.length).toBeGreaterThan(30)
  })

  it.each(named(atNode))('%s', async (_name, operation) => {
    const statuses = []
    for (const input of sendable(operation)) statuses.push(await expectSame(operation, input))
    expect(statuses).toEqual(expect.arrayContaining([200, 400]))
  })
})

it.each([
  ['a provider (EIP-1193)', custom({ request: createPublicClient({ transport: http(url) }).request })],
  ['a client of viem', createPublicClient({ transport: http(url) })],
  ['a transport of viem', http(url)],
  ['a URL', new URL(url)],
] as const)('%s is a node', async (_what, node) => {
  const { client } = useTypedClient({ node, ...own })
  const id = life.subscriptionId
  const from = life.chain.wallets.bob
  const [here, there] = await Promise.all([
    client.prepareSubscribeById({ id, from }),
    withUnindexed.client.prepareSubscribeById({ id, from }),
  ])
  expect(here.unsignedTransactions).toEqual(there.unsignedTransactions)
  expect(here.simulation?.calls).toEqual(there.simulation?.calls)
  // A revert keeps its reason through whatever wraps it.
  await expect(client.prepareUnsubscribeById({ id, from })).rejects.toMatchObject({ code: 'NOT_READY' })
})

describe('a client over a node and a service', () => {
  const both = useTypedClient({ node: url, url: service.url, ...own }).client

  it('asks the service for what an index knows, and the node for everything else', async () => {
    const { index } = await both.listApprovedTokens()
    expect(index).toMatchObject({ synced: true })
    const { subscriptions } = await both.searchSubscriptions({})
    expect(subscriptions.map(({ id }) => id)).toContain(life.subscriptionId)
    const lost = useTypedClient({ node: url, url: 'http://127.0.0.1:1', ...own }).client
    const from = life.chain.wallets.bob
    expect(await lost.prepareSubscribeById({ id: life.subscriptionId, from })).toMatchObject({ chainId })
  })
})

it('the package as it is installed answers too, and brings all that it needs', async () => {
  const { project, node } = await useClientPackage()
  const script = join(project, 'ask.mjs')
  writeFileSync(
    script,
    `import { createClient } from '@remit/client'
    const client = createClient({ node: '${url}', contracts: { ${chainId}: '${contract}' } })
    const { subscription } = await client.getSubscription({ id: '${life.subscriptionId}' })
    const { unsignedTransactions } = await client.prepareSubscribeById({ id: subscription.id, from: '${life.chain.wallets.bob}' })
    console.log(subscription.amount, unsignedTransactions.length)`,
  )
  expect(await node(script)).toBe('10 2\n')
})

it('says by name what no node can answer, and which chain its node is on', async () => {
  await expect(alone.client.searchSubscriptions({})).rejects.toThrow(NeedsServiceError)
  expect(() => alone.client.events.stream()).toThrow(NeedsServiceError)
  await expect(alone.client.getProtocolState({ chainId: 8453 })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    issues: [{ path: 'chainId' }],
  })
  const unpinned = useTypedClient({ node: url }).client
  await expect(unpinned.getProtocolState()).rejects.toMatchObject({ code: 'UNKNOWN_CONTRACT' })
})
