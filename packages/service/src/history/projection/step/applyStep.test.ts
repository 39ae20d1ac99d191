import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import { projectionRows } from '@remit/testing/support/history/projectionRows'
import {
  addressOf,
  eventNumber,
  hashOf,
  type LooseEvent,
  NO_FACTS,
  SyntheticChain,
  subLog,
  syntheticFacts,
  syntheticTerms,
} from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { beforeEach, describe, expect, it } from 'vitest'
import { LeaseLostError } from '../../projection.ts'
import { createProjection } from '../createProjection.ts'

const provider = addressOf('provider')
const alice = addressOf('alice')
const id = hashOf('subscription')

const created = () => subLog(eventNumber('Created'), { id, provider })
const cancelled = () => subLog(eventNumber('Cancelled'), { id, provider, amount: 0n })
const subscribed = (subscriber = alice) => subLog(eventNumber('Subscribed'), { id, provider, subscriber })
const unsubscribed = (subscriber = alice) => subLog(eventNumber('Unsubscribed'), { id, provider, subscriber })
const refunded = (by = provider) =>
  subLog(eventNumber('SubscriberRefunded'), { id, provider: by, subscriber: alice })

let chainIds = 0

describeStores('the projection', (stores) => {
  let chain: SyntheticChain
  let driver: ProjectionDriver
  const newDriver = (of: SyntheticChain) => {
    chainIds += 1
    return new ProjectionDriver(createProjection(stores.store), of, chainIds)
  }
  beforeEach(() => {
    chain = new SyntheticChain()
    driver = newDriver(chain)
  })
  const rows = () => projectionRows(stores.store, driver.chainId)
  /** Mines each list as a block and steps over it. */
  const live = async (...blocks: LooseEvent[][]) => {
    for (const events of blocks) {
      chain.mine(events)
      await driver.step()
    }
  }
  const statuses = async () => (await rows()).memberships.map((row) => 'status' in row && row.status)
  const counts = async () => {
    const { accountCounts, tokenCounts, subscriptions } = await rows()
    return { accountCounts, tokenCounts, subscriptions }
  }

  describe('a subscription', () => {
    it('has the terms of its creation, whatever the janitor’s logs state', async () => {
      await live([created(), subscribed(), refunded(addressOf('a stranger'))])
      const { subscriptions } = await rows()
      expect(subscriptions).toMatchObject([
        { id, provider, token: addressOf('token'), amount: '10000000000000000000', cancelled: 0 },
      ])
      const schedule = syntheticTerms({ events: chain.blocks.flatMap(({ events }) => events) }).get(id)
      expect(subscriptions).toMatchObject([{ frequency: schedule?.frequency, due_day: schedule?.dueDay }])
    })

    it('is not written without the terms that its log lacks', async () => {
      const lease = await driver.lease()
      chain.mine([created()])
      const step = chain.step(chain.origin, 100, 99)
      const projection = createProjection(stores.store)
      await expect(projection.apply(lease, chain.origin, step, NO_FACTS, 1_000)).rejects.toThrow(id)
      expect((await rows()).events).toEqual([])
    })

    it('is cancelled from the block of its cancellation', async () => {
      await live([created()], [cancelled()])
      expect((await rows()).subscriptions).toMatchObject([{ cancelled: 1, cancelled_block: 101 }])
    })
  })

  describe('a membership', () => {
    it('follows subscribing, leaving, subscribing again and the cleanup', async () => {
      await live([created()], [subscribed()])
      expect(await statuses()).toEqual([0])
      await live([unsubscribed()])
      expect(await statuses()).toEqual([2])
      await live([subscribed()])
      expect(await statuses()).toEqual([0])
      await live([unsubscribed(), refunded()])
      expect(await statuses()).toEqual([1])
      await live([unsubscribed()])
      expect(await statuses()).toEqual([2])
    })

    it('is not made when a stranger unsubscribes', async () => {
      await live([created(), unsubscribed()])
      expect(await statuses()).toEqual([])
      await live([subscribed()])
      expect(await statuses()).toEqual([0])
    })

    it('keeps the place where the account first subscribed', async () => {
      await live([created(), subscribed()], [unsubscribed()], [subscribed()])
      expect((await rows()).memberships).toMatchObject([{ first_block: 100, first_log_index: 1 }])
    })
  })

  describe('counts', () => {
    it('count an event once for each role of an account', async () => {
      const both = subLog(eventNumber('Subscribed'), { id, provider, subscriber: provider })
      await live([created(), subscribed(), both])
      expect((await counts()).accountCounts).toEqual(
        [
          { account: alice, as_subscriber: 1, as_provider: 0 },
          { account: provider, as_subscriber: 1, as_provider: 3 },
        ].sort((a, b) => (a.account < b.account ? -1 : 1)),
      )
    })

    it('tell a subscription’s subscribers', async () => {
      await live([created(), subscribed(), subscribed(addressOf('bob'))])
      expect((await counts()).subscriptions).toMatchObject([{ id, subscribers: 2 }])
      await live([unsubscribed(), unsubscribed(addressOf('bob'))])
      expect((await counts()).subscriptions).toMatchObject([{ id, subscribers: 0 }])
    })
  })

  it('keeps blocks final if a node lags, but not if they were reorganised', async () => {
    const projection = createProjection(stores.store)
    const lease = await driver.lease()
    for (let block = 0; block < 6; block += 1) chain.mine([])
    const finalized = async () => (await projection.indexState(driver.chainId))?.finalizedBlock
    const apply = async (ancestor: number, to: number, finalizedBlock: number) => {
      const { block } = await projection.tip(driver.chainId)
      const step = chain.step(chain.block(ancestor) ?? chain.origin, to, finalizedBlock)
      await projection.apply(lease, block, step, NO_FACTS, 60_000)
    }
    await apply(99, 104, 102)
    await apply(104, 105, 101)
    expect(await finalized()).toBe(102)
    await apply(100, 105, 99)
    expect(await finalized()).toBe(100)
  })

  it('writes nothing of a step that was made from another block', async () => {
    const projection = createProjection(stores.store)
    const lease = await driver.lease()
    await live([created()])
    const before = await rows()
    chain.mine([subscribed()])
    const step = chain.step(chain.origin, 101, 99)
    const applied = projection.apply(lease, chain.origin, step, syntheticFacts(step), 1_000)
    await expect(applied).rejects.toBeInstanceOf(LeaseLostError)
    expect(await rows()).toEqual(before)
  })

  it('refuses events that are out of order or outside of the step', async () => {
    const projection = createProjection(stores.store)
    const lease = await driver.lease()
    chain.mine([created(), subscribed()])
    chain.mine([unsubscribed()])
    const step = chain.step(chain.origin, 101, 99)
    const apply = (changed: Partial<typeof step>) =>
      projection.apply(lease, chain.origin, { ...step, ...changed }, syntheticFacts(step), 1_000)
    await expect(apply({ events: step.events.toReversed() })).rejects.toThrow('out of place')
    await expect(apply({ events: [...step.events, ...step.events.slice(-1)] })).rejects.toThrow(
      'out of place',
    )
    await expect(apply({ to: chain.blocks[0]?.ref ?? chain.origin })).rejects.toThrow()
    const [first] = step.blocks
    const stranger = { number: 98, hash: hashOf('x'), parentHash: hashOf('y'), timestamp: 1 }
    await expect(apply({ blocks: first ? [first, stranger] : [] })).rejects.toThrow('would remember block 98')
    expect((await rows()).events).toEqual([])
  })
})
