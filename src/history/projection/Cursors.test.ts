import { beforeEach, expect, it } from 'vitest'
import { ProjectionDriver } from '../../../test/support/ProjectionDriver.ts'
import { describeStores } from '../../../test/support/stores.ts'
import {
  addressOf,
  eventNumber,
  hashOf,
  type LooseEvent,
  SyntheticChain,
  subLog,
} from '../../../test/support/syntheticChain.ts'
import type { HistoryQueries, PageQuery } from '../../core/history.ts'
import { CursorStaleError } from '../../errors/chain.ts'
import { ValidationError } from '../../errors/input.ts'
import { createProjection } from './createProjection.ts'

const provider = addressOf('provider')
const id = hashOf('subscription')
const first: PageQuery = { first: 1, skip: 0, after: undefined, untilBlock: undefined }

const created = (of = id) => subLog(eventNumber('Created'), { id: of, provider })
const by = (name: Parameters<typeof eventNumber>[0]) =>
  subLog(eventNumber(name), { id, provider, subscriber: addressOf('alice') })

let chainIds = 0

describeStores('a cursor', (stores) => {
  let chain: SyntheticChain
  let driver: ProjectionDriver
  beforeEach(() => {
    chain = new SyntheticChain()
    chainIds += 1
    driver = new ProjectionDriver(createProjection(stores.store), chain, chainIds)
  })
  /** Mines each list as a block and steps over it. */
  const live = async (...blocks: LooseEvent[][]) => {
    for (const events of blocks) {
      chain.mine(events)
      await driver.step()
    }
  }
  const ask = async <Rows>(use: (queries: HistoryQueries) => Promise<Rows>): Promise<Rows> => {
    const found = await createProjection(stores.store).snapshot(driver.chainId, use)
    if (found === undefined) throw new Error('the chain has no row')
    return found.rows
  }
  const cursorOf = async () => {
    const { nextCursor } = await ask((queries) => queries.events(id, first))
    if (nextCursor === null) throw new Error('there is no further page')
    return nextCursor
  }
  const next = (after: string) => ask((queries) => queries.events(id, { ...first, after }))

  it('is stale where its block is reorganised away, even if its transaction comes again', async () => {
    await live([created()], [by('Subscribed')])
    const cursor = await cursorOf()
    const [dropped] = chain.drop(1)
    await live([...(dropped?.events ?? [])])
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
    chain.drop(1)
    await live([])
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
  })

  it('is stale also where the block in its place is final by then, and was never remembered', async () => {
    await live([created()], [by('Subscribed')])
    const cursor = await cursorOf()
    const [dropped] = chain.drop(1)
    chain.mine(dropped?.events ?? [])
    for (let block = 0; block < 10; block += 1) chain.mine([])
    await driver.step()
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
  })

  it('lives on where only later blocks are reorganised away, and when its block is final and forgotten', async () => {
    await live([created()], [by('Subscribed')], [])
    const cursor = await cursorOf()
    chain.drop(1)
    await live([by('Unsubscribed')])
    expect((await next(cursor)).rows[0]?.subScriptEvent).toBe(eventNumber('Created'))
    for (let block = 0; block < 150; block += 1) chain.mine([])
    await driver.step(undefined, 1)
    const remembered = await stores.store.db
      .selectFrom('index_blocks')
      .select('number')
      .where('chain_id', '=', driver.chainId)
      .execute()
    expect(remembered.map(({ number }) => number)).not.toContain(101)
    expect((await next(cursor)).rows[0]?.subScriptEvent).toBe(eventNumber('Created'))
  })

  it('is refused by name where it is of another list, or was changed', async () => {
    await live([created(), created(hashOf('other'))], [by('Subscribed')])
    const cursor = await cursorOf()
    const changed = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'B' : 'A'}A`
    for (const wrong of [changed, 'A', `${cursor}A`, 'x'.repeat(200)]) {
      await expect(next(wrong)).rejects.toMatchObject({ issues: [{ path: 'after' }] })
    }
    const elsewhere = ask((queries) => queries.activity(provider, { ...first, after: cursor }))
    await expect(elsewhere).rejects.toBeInstanceOf(ValidationError)
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,200}$/)
  })
})
