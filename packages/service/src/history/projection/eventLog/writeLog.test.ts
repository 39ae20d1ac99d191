import type { EventQuery, LoggedEvent } from '@remit/engine/ports/events'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import { addressOf, hashOf, loose, subLog } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { createProjection } from '../createProjection.ts'

const id = hashOf('a subscription')
const provider = addressOf('provider')
const subscriber = addressOf('subscriber')
const whole = { id, provider, subscriber }
const [CREATE, CANCEL, PROVPAID, FAILED, SUBSCRIBED, UNSUBSCRIBED] = [0, 1, 2, 3, 6, 7]

describeStores('the log of events', (stores) => {
  const life = useProjectionLife(stores)
  const read = async (query: Partial<EventQuery> = {}) => {
    const page = await createProjection(stores.store).readLog(life.driver.chainId, {
      after: 0,
      first: 100,
      filters: {},
      finality: 'seen',
      ...query,
    })
    if (page === undefined) throw new Error('the chain has no log')
    return page
  }
  const types = (events: readonly LoggedEvent[]) => events.map(({ type }) => type)

  it('tells what each log of a step says, in the order of the chain, in one sequence', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole)])
    await life.live([subLog(PROVPAID, whole)], [subLog(UNSUBSCRIBED, whole), subLog(FAILED, whole)])
    await life.live([subLog(CANCEL, { id, provider })])
    const { events, next, hasMore } = await read()
    expect(types(events)).toEqual([
      'subscription.created',
      'subscriber.joined',
      'payment.succeeded',
      'payment.succeeded',
      'subscriber.left',
      'payment.failed',
      'subscription.cancelled',
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect({ next, hasMore }).toEqual({ next: 7, hasMore: false })
    expect(new Set(events.map((event) => event.id)).size).toBe(7)
  })

  it('says nothing of a stranger who leaves', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(UNSUBSCRIBED, whole)])
    expect(types((await read()).events)).toEqual(['subscription.created'])
  })

  it('makes the first details a part of the creation, and later ones an edit', async () => {
    const details = (url: string) => ({
      type: 'DetailsLog' as const,
      id,
      provider,
      timestamp: 0,
      url,
      description: 'of it',
    })
    const first = loose(details('https://first.example'))
    const creation = { ...subLog(CREATE, { id, provider }), transactionHash: first.transactionHash }
    await life.live([first, creation], [loose(details('https://second.example'))])
    const { events } = await read()
    expect(types(events)).toEqual(['subscription.created', 'subscription.edited'])
    expect(events.map(({ facts }) => 'url' in facts && facts.url)).toEqual([
      'https://first.example',
      'https://second.example',
    ])
  })

  it('takes back what a fork lost, by name, and never goes back in sequence', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole)])
    const before = await read()
    const [created, joined, paid] = before.events
    life.chain.drop(1)
    await life.live([subLog(PROVPAID, whole)])
    const { events } = await read({ after: before.next })
    expect(types(events)).toEqual(['retracted', 'payment.succeeded'])
    const [retracted] = events
    expect(retracted?.type === 'retracted' && retracted.facts.ids).toEqual([joined?.id, paid?.id])
    expect(retracted?.subject).toEqual(joined?.subject)
    expect(events.map(({ sequence }) => sequence)).toEqual([4, 5])
    expect(created?.id).not.toBe(joined?.id)
  })

  it('tells what comes back under the same id as before', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole)])
    const [lost] = life.chain.drop(1)
    await life.live([])
    life.chain.drop(1)
    life.chain.restore(lost)
    await life.driver.catchUp()
    const { events } = await read()
    expect(types(events)).toEqual([
      'subscription.created',
      'subscriber.joined',
      'payment.succeeded',
      'retracted',
      'subscriber.joined',
      'payment.succeeded',
    ])
    expect(events[4]?.id).toBe(events[1]?.id)
  })

  it('filters by whom an event is about, and lets retractions pass to whom they concern', async () => {
    const other = addressOf('another subscriber')
    await life.live([subLog(CREATE, { id, provider })])
    await life.live([subLog(SUBSCRIBED, whole), subLog(SUBSCRIBED, { ...whole, subscriber: other })])
    life.chain.drop(1)
    await life.live([])
    const mine = await read({ filters: { account: subscriber } })
    expect(types(mine.events)).toEqual(['subscriber.joined', 'payment.succeeded', 'retracted'])
    const payments = await read({ filters: { account: other, types: ['payment.succeeded'] } })
    expect(types(payments.events)).toEqual(['payment.succeeded', 'retracted'])
    const edits = await read({ filters: { subscriptionId: id, types: ['subscription.edited'] } })
    expect(edits).toEqual({ events: [], next: 7, hasMore: false })
    const all = await read({ filters: { provider } })
    expect(all.events).toHaveLength(7)
  })

  it('gives pages without holes', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole), subLog(PROVPAID, whole)])
    const seen: string[] = []
    for (let after = 0, more = true; more; ) {
      const page = await read({ after, first: 1 })
      seen.push(...page.events.map((event) => event.id))
      after = page.next
      more = page.hasMore
    }
    expect(seen).toEqual((await read()).events.map((event) => event.id))
  })

  it('holds back what is not sure enough, and never gives what was taken back before', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole)])
    expect((await read({ finality: 'final' })).events).toEqual([])
    life.chain.drop(1)
    await life.live([], [], [], [subLog(SUBSCRIBED, whole)])
    const final = await read({ finality: 'final' })
    expect(types(final.events)).toEqual(['subscription.created'])
    expect(final.events[0]?.finality).toBe('final')
    await life.live([], [], [], [])
    const later = await read({ finality: 'final', after: final.next })
    expect(types(later.events)).toEqual(['subscriber.joined', 'payment.succeeded'])
    // What was taken back is never sure, although a final block has its number by now.
    const told = (await read()).events.map(({ type, finality }) => [type, finality])
    expect(told.slice(0, 4)).toEqual([
      ['subscription.created', 'final'],
      ['subscriber.joined', 'seen'],
      ['payment.succeeded', 'seen'],
      ['retracted', 'final'],
    ])
  })

  it('tells nothing again where an index begins anew, and takes back what is not there any more', async () => {
    await life.live([subLog(CREATE, { id, provider })], [subLog(SUBSCRIBED, whole)])
    const before = (await read()).events
    const projection = createProjection(stores.store)
    await projection.empty(await life.driver.lease(), life.chain.origin, 'rpc')
    await life.driver.catchUp()
    expect((await read()).events).toEqual(before)
    await projection.empty(await life.driver.lease(), life.chain.origin, 'rpc')
    life.chain.drop(1)
    life.chain.mine([])
    await life.driver.catchUp()
    expect(types((await read({ after: 3 })).events)).toEqual(['retracted'])
  })
})
