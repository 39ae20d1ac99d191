import { CursorStaleError } from '@remit/engine/errors/chain'
import type { PageQuery } from '@remit/engine/ports/history'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import { addressOf, eventNumber, hashOf, subLog } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { encodeCursor } from './Cursors.ts'

const provider = addressOf('provider')
const id = hashOf('subscription')
const first: PageQuery = { first: 1, skip: 0, after: undefined, untilBlock: undefined }

const created = (of = id) => subLog(eventNumber('Created'), { id: of, provider })
const by = (name: Parameters<typeof eventNumber>[0]) =>
  subLog(eventNumber(name), { id, provider, subscriber: addressOf('alice') })

describeStores('a cursor', (stores) => {
  const life = useProjectionLife(stores)
  const { live, ask } = life
  const cursorOf = async () => {
    const { nextCursor } = await ask((queries) => queries.events(id, first))
    if (nextCursor === null) throw new Error('there is no further page')
    return nextCursor
  }
  const next = (after: string) => ask((queries) => queries.events(id, { ...first, after }))

  it('is stale if its block is reorganised away, even if its transaction is mined again', async () => {
    await live([created()], [by('Subscribed')])
    const cursor = await cursorOf()
    const [dropped] = life.chain.drop(1)
    await live([...(dropped?.events ?? [])])
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
    life.chain.drop(1)
    await live([])
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
  })

  it('is stale too if the block in its place is final by then and its hash was never stored', async () => {
    await live([created()], [by('Subscribed')])
    const cursor = await cursorOf()
    const [dropped] = life.chain.drop(1)
    life.chain.mine(dropped?.events ?? [])
    for (let block = 0; block < 10; block += 1) life.chain.mine([])
    await life.driver.step()
    await expect(next(cursor)).rejects.toBeInstanceOf(CursorStaleError)
  })

  it('stays valid if only later blocks are reorganised away, and when its block’s hash was deleted', async () => {
    await live([created()], [by('Subscribed')], [])
    const cursor = await cursorOf()
    life.chain.drop(1)
    await live([by('Unsubscribed')])
    expect((await next(cursor)).rows[0]?.subScriptEvent).toBe(eventNumber('Created'))
    for (let block = 0; block < 150; block += 1) life.chain.mine([])
    await life.driver.step(undefined, 1)
    const remembered = await stores.store.db
      .selectFrom('index_blocks')
      .select('number')
      .where('chain_id', '=', life.driver.chainId)
      .execute()
    expect(remembered.map(({ number }) => number)).not.toContain(101)
    expect((await next(cursor)).rows[0]?.subScriptEvent).toBe(eventNumber('Created'))
  })

  it('is stale too if somebody made it up, whatever place it names', async () => {
    await live([created()])
    const place = { block: 2 ** 48 - 1, log: -1, transaction: '00'.repeat(8), blockHash: undefined }
    const after = encodeCursor(`${life.driver.chainId} history ${id}`, place)
    await expect(next(after)).rejects.toBeInstanceOf(CursorStaleError)
  })
})
