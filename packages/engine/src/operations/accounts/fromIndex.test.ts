import { SubscriptionsLens } from '@remit/contracts/SubscriptionsLens'
import { Frequency, protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { createMany } from '@remit/testing/support/chain/subscribeCrowd'
import { checkpointAt } from '@remit/testing/support/chain/useReadingGround'
import { MONDAY_NOON, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import { getAbiItem, toFunctionSelector } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

// Lists that the contract's own views cannot give: who is in them comes from the index, the rest from the chain.

const chain = await useTestChain()
const proxy = await useCountingProxy(chain.url)
const protocol = protocolOn(chain)
const { admin, otherProvider, alice, bob, carol, stranger, janitor } = chain.wallets
const weekly = await protocol.create()
for (const account of [alice, bob, carol]) await protocol.join(weekly, account)
await chain.keep()
let wall = MONDAY_NOON
const service = await useTestService([{ ...chain, url: proxy.url }], {}, () => wall * 1_000)
afterEach(() => {
  wall = MONDAY_NOON
})

const Subscribers = z.object({
  subscribers: z.array(z.object({ subscriber: z.string(), feeBalance: z.object({ amount: z.string() }) })),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
})

async function get(path: string) {
  await indexed(service, chain)
  const { status, body } = await service.get(path)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

describe('GET /subscriptions/:id/subscribers while the contract’s own view panics', () => {
  /** A remit has broken off in the middle of the subscription, and its first subscriber has left since. */
  async function breakView() {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await protocol.reverts(alice, 'getSubscribersById', [weekly.id])).toBe('Panic(50)')
  }

  it('lists who subscribes, with fee balances read at the index’s block', async () => {
    const path = `/subscriptions/${weekly.id}/subscribers`
    const whole = Subscribers.parse(await get(path))
    expect(whole.subscribers).toHaveLength(3)
    await breakView()
    const body = await get(path)
    expect(Subscribers.parse(body).subscribers).toEqual(
      whole.subscribers.filter(({ subscriber }) => subscriber !== alice),
    )
    expect(body).toMatchObject({
      subscriptionId: weekly.id,
      count: 2,
      index: { blockNumber: Number(await chain.client.getBlockNumber()), synced: true },
    })
  })

  it('pages in the same order, so that a reader can go on where the view failed', async () => {
    const path = `/subscriptions/${weekly.id}/subscribers`
    const inOrder = [bob, carol].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    await breakView()
    const first = Subscribers.parse(await get(`${path}?first=1`))
    expect(first).toMatchObject({ subscribers: [{ subscriber: inOrder[0] }], hasMore: true })
    const second = Subscribers.parse(await get(`${path}?first=1&after=${first.nextCursor}`))
    expect(second).toMatchObject({ subscribers: [{ subscriber: inOrder[1] }], hasMore: false })
    expect(Subscribers.parse(await get(`${path}?first=1&skip=1`))).toEqual(second)
  })

  it('costs two requests: what is refused is asked once', async () => {
    // Makes the block differ from that of the tests above: answers are kept by the hash of their block.
    await protocol.fund(chain.tokens.usdc, stranger, { balance: 1n })
    await breakView()
    await get('/protocol/state')
    proxy.reset()
    await service.get(`/subscriptions/${weekly.id}/subscribers`)
    expect(proxy.methods.filter((method) => method === 'eth_call')).toHaveLength(2)
  })
})

describe('a due list that is too long for the node', () => {
  const failDue = () =>
    proxy.fail({
      answer: ({ method, params }) =>
        method === 'eth_call' && asksLens('due', params)
          ? { error: { code: -32000, message: 'out of gas' } }
          : undefined,
    })

  it('is told by the index, with the pauses of tokens by the chain', async () => {
    const later = await protocol.create()
    const [nobodys, ended, paused] = [
      await protocol.create(),
      await protocol.create(),
      await protocol.create({ token: chain.tokens.dai }),
    ]
    for (const plan of [later, ended, paused]) await protocol.join(plan, alice)
    await protocol.send(chain.wallets.provider, 'cancelSubscription', [ended])
    await protocol.send(admin, 'pauseToken', [chain.tokens.dai, true])
    const path = '/subscriptions/due?date=2026-03-04'
    const { asOf: _, ...own } = await get(path)
    expect(own).toMatchObject({ results: [{ subscriptionIds: [weekly.id, later.id] }, {}, {}, {}] })
    expect(JSON.stringify(own)).not.toContain(nobodys.id)
    failDue()
    await chain.advanceTo((await chain.now()) + 10)
    const { asOf: __, index, ...told } = await get(path)
    expect(index).toMatchObject({ synced: true })
    expect(told).toEqual(own)
  })

  it('is told of today by the chain’s clock, where no block has come for two days', async () => {
    await chain.advanceTo((await chain.now()) + 20)
    await get('/protocol/state')
    failDue()
    wall = MONDAY_NOON + 2 * 86_400
    expect(await get('/subscriptions/due?frequency=0')).toMatchObject({
      date: '2026-03-04',
      results: [{ subscriptionIds: [weekly.id] }],
      index: { synced: true },
    })
  })
})

describe('an account that is too large for the node', () => {
  const MANY = 120

  it('is told by the index and the chain together, just as its own view would', async () => {
    const tokens = [chain.tokens.usdc, chain.tokens.dai]
    await createMany(chain, otherProvider, tokens, MANY)
    const created = await protocol.read('getAccountSubscriptions', [false, otherProvider])
    const some = created.slice(0, 3).map(({ subscription }) => ({
      ...tupleOf(subscription.id),
      ...subscription,
      frequency: Frequency.WEEKLY,
    }))
    for (const subscription of some) await protocol.join(subscription, alice)
    const [first, second] = some
    if (first === undefined || second === undefined) throw new Error('too few subscriptions')
    await protocol.send(alice, 'unsubscribe', [first])
    await protocol.send(otherProvider, 'cancelSubscription', [second])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [{ ...second, cancelled: true }])
    // A stranger's leaving is logged and leaves no entry.
    await protocol.send(stranger, 'unsubscribe', [first])

    const paths = [
      `/accounts/${otherProvider}`,
      `/accounts/${otherProvider}?after=100`,
      `/accounts/${otherProvider}/subscriptions?first=25&after=75`,
      ...[alice, otherProvider, stranger].flatMap((account) => [
        `/accounts/${account}?first=2`,
        `/accounts/${account}/subscriptions`,
        `/accounts/${account}/subscriptions?bySubscriber=true`,
      ]),
    ]
    const own = []
    for (const path of paths) own.push(await get(path))
    expect(own).toMatchObject([
      { created: { length: 100 }, createdCount: MANY, hasMore: true, nextCursor: '100' },
      { created: { length: MANY - 100 }, createdCount: MANY, hasMore: false, nextCursor: null },
      { subscriptions: { length: 25 }, subscriptionsCount: MANY, count: 25, nextCursor: '100' },
      ...own.slice(3),
    ])
    // A page costs one question, wherever it begins.
    await chain.advanceTo((await chain.now()) + 10)
    await get('/protocol/state')
    proxy.reset()
    await service.get(paths[1] ?? '')
    expect(proxy.methods.filter((method) => method === 'eth_call')).toHaveLength(1)

    // Nobody's own list fits any more; what is asked for by its id still does.
    for (const [index, path] of paths.entries()) {
      proxy.fail({
        answer: ({ method, params }) =>
          method === 'eth_call' && asksLens('account', params)
            ? { error: { code: -32000, message: 'execution aborted (timeout = 5s)' } }
            : undefined,
      })
      // Another block, at which nothing is known yet.
      await chain.advanceTo((await chain.now()) + 10)
      const { index: position, ...body } = await get(path)
      expect(position).toMatchObject({ synced: true })
      const { asOf: _, ...expected } = own[index] ?? {}
      const { asOf: __, ...told } = body
      expect(told).toEqual(expected)
    }
  })
})

/** Whether a call asks the lens by this function, or brings the lens along that could be. */
function asksLens(name: 'account' | 'due', params: readonly unknown[]): boolean {
  const { data } = z.looseObject({ data: z.string() }).parse(params[0])
  return data.includes(toFunctionSelector(getAbiItem({ abi: SubscriptionsLens.abi, name })).slice(2))
}
