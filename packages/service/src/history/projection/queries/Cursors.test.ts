import { CursorStaleError } from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import type { PageQuery } from '@remit/engine/ports/history'
import { pageFields } from '@remit/engine/schema/page'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import { addressOf, eventNumber, hashOf, subLog } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CursorPlace, decodeCursor, encodeCursor } from './Cursors.ts'

const LIST = '8453 history 0x01'
const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const place: fc.Arbitrary<CursorPlace> = fc.record({
  block: fc.nat({ max: 2 ** 48 - 1 }),
  log: fc.nat({ max: 2 ** 31 - 1 }),
  transaction: hash,
  blockHash: fc.option(hash, { nil: undefined }),
})

describe('a cursor', () => {
  it('gives back its place, and fits into `after`', () => {
    const { after } = pageFields({ default: 1, max: 1 })
    fc.assert(
      fc.property(place, (place) => {
        const text = encodeCursor(LIST, place)
        expect(after.parse(text)).toBe(text)
        expect(decodeCursor(LIST, text)).toEqual(place)
      }),
    )
  })

  it('never begins as a formula of a spreadsheet does, in whose CSV it would be changed', () => {
    const starts = Array.from({ length: 1_000 }, (_, block) => {
      const text = encodeCursor(LIST, {
        block,
        log: 0,
        transaction: '00112233445566aa',
        blockHash: undefined,
      })
      expect(decodeCursor(LIST, text).block).toBe(block)
      return text.slice(0, 1)
    })
    expect(starts).not.toContain('-')
  })

  it('is refused if a character was changed, and by another list', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.constantFrom('A', 'b', '7', '_'), (place, at, character) => {
        const text = encodeCursor(LIST, place)
        const index = at % text.length
        fc.pre(text[index] !== character)
        const changed = text.slice(0, index) + character + text.slice(index + 1)
        expect(() => decodeCursor(LIST, changed)).toThrow(ValidationError)
        expect(() => decodeCursor('84532 history 0x01', text)).toThrow(ValidationError)
      }),
    )
  })

  it('is not read from any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(() => decodeCursor(LIST, text)).toThrow('must be the nextCursor of an earlier page')
      }),
    )
  })
})

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
