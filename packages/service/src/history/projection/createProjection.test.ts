import type { PageQuery } from '@remit/engine/ports/history'
import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import {
  addressOf,
  eventNumber,
  hashOf,
  SyntheticChain,
  subLog,
} from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { createProjection } from './createProjection.ts'

const CHAIN = 1
const FORKS = 40
const id = hashOf('subscription')
const provider = addressOf('provider')
const all: PageQuery = { first: 100, skip: 0, after: undefined, untilBlock: undefined }
const any = { provider: undefined, token: undefined, frequency: undefined, cancelled: false }

describeStores('a snapshot', (stores) => {
  it('shows one state while the writer reorganises in a loop', async () => {
    const chain = new SyntheticChain()
    const driver = new ProjectionDriver(createProjection(stores.store), chain, CHAIN)
    /** What is there after each fork: as many subscribers as its number says, and all amounts are that number. */
    const forkOf = new Map<string, number>()
    const fork = async (number: number) => {
      chain.drop(2)
      const amount = BigInt(number)
      const members = Array.from({ length: 1 + (number % 7) }, (_, index) => addressOf(`member ${index}`))
      chain.mine([subLog(eventNumber('Created'), { id, provider, amount })])
      const subscribed = eventNumber('Subscribed')
      chain.mine(members.map((subscriber) => subLog(subscribed, { id, provider, subscriber, amount })))
      forkOf.set(chain.head.hash, number)
      // In one step, or a block at a time would be a moment of its own.
      await driver.step()
    }
    await fork(1)

    let isOver = false
    const seen = new Set<number>()
    const read = async () => {
      const projection = createProjection(await stores.open())
      while (!isOver) {
        const found = await projection.snapshot(CHAIN, async (queries, indexState) => ({
          number: forkOf.get(indexState.block.hash),
          amounts: (await queries.events(id, all)).rows.map(({ amount }) => amount),
          breakdown: (await queries.activity(provider, all)).breakdown,
          terms: (await queries.search(any, all, true)).rows.map(({ amount }) => amount),
          counted: (await queries.subscriberCounts([id])).get(id),
          listed: (await queries.subscribers(id, { first: 100, skip: 0, after: undefined })).length,
        }))
        if (found === undefined) throw new Error('the chain has no row')
        const { number = 0, ...rows } = found.rows
        const members = 1 + (number % 7)
        const amount = BigInt(number)
        expect(rows).toEqual({
          amounts: Array.from({ length: members + 1 }, () => amount),
          breakdown: { asSubscriber: 0, asProvider: members + 1 },
          terms: [amount],
          counted: members,
          listed: members,
        })
        seen.add(number)
        // A snapshot in SQLite waits for nothing, so that the writer would never have its turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const reading = Promise.all([read(), read(), read()]).finally(() => {
      isOver = true
    })
    reading.catch(() => {})
    for (let number = 2; !isOver && (number <= FORKS || seen.size < 5); number += 1) {
      await fork(number)
      await new Promise((resolve) => setImmediate(resolve))
    }
    isOver = true
    await reading
  })
})
