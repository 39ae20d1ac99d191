import { CursorStaleError, createClient, IndexUnavailableError } from '@remit/client'
import { describe, expect, it } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { reorganise } from '../support/chain/reorganise.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'

const chain = await useTestChain({ reorganises: true })
const protocol = protocolOn(chain)
const { alice, bob, carol, provider } = chain.wallets
const first = await protocol.create()
await protocol.create()
const second = await protocol.create()
for (const wallet of [alice, bob, carol]) await protocol.join(first, wallet)
await protocol.join(second, alice)
await chain.keep()

const service = await useTestService([chain])
const unindexed = await useTestService([chain], { [`INDEX_${chain.chainId}`]: 'off' })
const requests: string[] = []
const client = createClient({
  url: service.url,
  adminSecret: ADMIN_SECRET,
  fetch: (url, init) => {
    requests.push(String(url))
    return fetch(url, init)
  },
})
for (const label of ['one', 'two', 'three']) await client.createKey({ subjectId: 'ada', label })
await indexed(service, chain)

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe('the rows of every page are those of one large page', () => {
  const { id } = first

  it('of a search', async () => {
    const { subscriptions } = await client.searchSubscriptions({ provider })
    expect(subscriptions).toHaveLength(3)
    expect(await all(client.each.searchSubscriptions({ provider, first: 1 }))).toEqual(subscriptions)
    expect(await all(client.each.searchSubscriptions({ provider, first: 2 }))).toEqual(subscriptions)
  })

  it('of a subscription’s history', async () => {
    const { events } = await client.getSubscriptionHistory({ id })
    expect(events.length).toBeGreaterThan(3)
    expect(await all(client.each.getSubscriptionHistory({ id, first: 2 }))).toEqual(events)
  })

  it('of its details', async () => {
    const { events } = await client.getSubscriptionDetailsHistory({ id })
    expect(events).toHaveLength(1)
    expect(await all(client.each.getSubscriptionDetailsHistory({ id, first: 1 }))).toEqual(events)
  })

  it('of its subscribers', async () => {
    const { subscribers } = await client.getSubscribers({ id })
    expect(subscribers.map(({ subscriber }) => subscriber).sort()).toEqual([alice, bob, carol].sort())
    expect(await all(client.each.getSubscribers({ id, first: 1 }))).toEqual(subscribers)
  })

  it('of what an account created', async () => {
    const { subscriptions, subscriptionsCount } = await client.getAccountSubscriptions({ address: provider })
    expect([subscriptions.length, subscriptionsCount]).toEqual([3, 3])
    const paged = client.each.getAccountSubscriptions({ address: provider, first: 2 })
    expect(await all(paged)).toEqual(subscriptions)
  })

  it('of an account’s activity', async () => {
    const { events } = await client.getAccountActivity({ address: alice })
    expect(events.length).toBeGreaterThan(3)
    expect(await all(client.each.getAccountActivity({ address: alice, first: 1 }))).toEqual(events)
  })

  it('of keys, whose pages have only a cursor', async () => {
    const { keys } = await client.listKeys({ subjectId: 'ada' })
    expect(keys.map(({ label }) => label)).toEqual(['three', 'two', 'one'])
    expect(await all(client.each.listKeys({ subjectId: 'ada', first: 2 }))).toEqual(keys)
  })
})

it('asks for no further page after the loop ends', async () => {
  requests.length = 0
  for await (const _ of client.each.getSubscribers({ id: first.id, first: 1 })) break
  expect(requests).toHaveLength(1)
})

it('fails with a named error instead of being empty if there is no index', async () => {
  const without = createClient({ url: unindexed.url, retries: 0 })
  expect((await without.getSubscriptionHistory({ id: first.id })).events).toEqual([])
  await expect(all(without.each.getSubscriptionHistory({ id: first.id }))).rejects.toThrow(
    IndexUnavailableError,
  )
  await expect(all(without.each.searchSubscriptions())).rejects.toThrow(IndexUnavailableError)
})

it('fails with a named error if the list changes during iteration', async () => {
  await protocol.join(second, bob)
  await indexed(service, chain)
  const events = client.each.getSubscriptionHistory({ id: second.id, first: 1 })
  expect((await events.next()).done).toBe(false)
  // The transactions of the joining go, and blocks without any come.
  await reorganise(chain.client, 3, [])
  await chain.advanceDays(1)
  await indexed(service, chain)
  await expect(events.next()).rejects.toThrow(CursorStaleError)
})
