import { CursorStaleError } from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import type { PageQuery, SearchQuery } from '@remit/engine/ports/history'
import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import { projectionRows } from '@remit/testing/support/history/projectionRows'
import { addressOf, eventNumber, hashOf, loose, subLog } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { sql } from 'kysely'
import type { Address, Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { addSearch } from '../../../store/migrations/0019Search.ts'
import { createProjection } from '../createProjection.ts'

const whole: PageQuery = { first: 100, skip: 0, after: undefined, untilBlock: undefined }
const any: SearchQuery = { provider: undefined, token: undefined, frequency: undefined, cancelled: false }
const provider = addressOf('provider')
const rival = addressOf('rival')
const usdc = addressOf('usdc')
const dai = addressOf('dai')
const ONE = 10n ** 18n

const created = (name: string, fields: { by?: Address; token?: Address; amount?: bigint } = {}) => {
  const { by = provider, token = usdc, amount = 10n * ONE } = fields
  return subLog(eventNumber('Created'), { id: hashOf(name), provider: by, token, amount })
}
const described = (name: string, description: string, by = provider) =>
  loose({ type: 'DetailsLog', id: hashOf(name), provider: by, timestamp: 0, url: '', description })
const called = (company: string, by = provider) =>
  loose({
    type: 'ProvDetailsLog',
    provider: by,
    timestamp: 0,
    company,
    ...{ description: 'coffee', url: '', domain: '', email: '', misc: '' },
  })
const cancelled = (name: string, by = provider) =>
  subLog(eventNumber('Cancelled'), { id: hashOf(name), provider: by, amount: 0n })
/** A plan with a description, in a block of its own. */
const plan = (name: string, description = name, fields: Parameters<typeof created>[1] = {}) => [
  described(name, description, fields.by ?? provider),
  created(name, fields),
]

describeStores('a search', (stores) => {
  const life = useProjectionLife(stores)
  const { live, ask } = life
  const page = (query: Partial<SearchQuery>, wanted: Partial<PageQuery> = {}) =>
    ask((queries) => queries.search({ ...any, ...query }, { ...whole, ...wanted }, false))
  const names = new Map<Hex, string>()
  const named = (...all: string[]) => {
    for (const name of all) names.set(hashOf(name), name)
  }
  const search = async (query: Partial<SearchQuery>, wanted: Partial<PageQuery> = {}) =>
    (await page(query, wanted)).rows.map(({ id }) => names.get(id) ?? id)

  describe('by text', () => {
    it('finds every word in the description or in the provider’s name, and nothing else of a profile', async () => {
      named('beans', 'tea', 'cups')
      await live(
        plan('beans', 'Fresh coffee beans, every month'),
        plan('tea', 'Green tea'),
        plan('cups', 'Coffee cups', { by: rival }),
        [called('Lisbon Roasters', rival)],
        [called('Morning Drinks')],
      )
      expect(await search({ text: 'coffee' })).toEqual(['cups', 'beans'])
      expect(await search({ text: 'coffee beans' })).toEqual(['beans'])
      expect(await search({ text: 'coffee lisbon' })).toEqual(['cups'])
      expect(await search({ text: 'roasters' })).toEqual(['cups'])
      expect(await search({ text: 'coffee wine' })).toEqual([])
    })

    it('takes no notice of case and accents, finds beginnings of words, and characters of scripts without spaces', async () => {
      named('cafe', 'strasse', 'lodz', 'kissa')
      await live(
        plan('cafe', 'CAFÉ com açúcar'),
        plan('strasse', 'Straßenkunst'),
        plan('lodz', 'Łódź Guide'),
        plan('kissa', '東京のコーヒー定期便'),
      )
      expect(await search({ text: 'cafe ACUCAR' })).toEqual(['cafe'])
      expect(await search({ text: 'cafe\u0301' })).toEqual(['cafe'])
      expect(await search({ text: 'strassen' })).toEqual(['strasse'])
      expect(await search({ text: 'lodz' })).toEqual(['lodz'])
      expect(await search({ text: 'コーヒー' })).toEqual(['kissa'])
      expect(await search({ text: 'kuns' })).toEqual([])
      // Two letters begin too many words.
      expect(await search({ text: 'ca' })).toEqual([])
      expect(await search({ text: 'caf' })).toEqual(['cafe'])
    })

    it('takes nothing for syntax, whatever strangers and callers write', async () => {
      const hostile = [
        '"',
        '" OR "',
        'words: coffee',
        'coffee*',
        'NEAR(coffee beans, 2)',
        "coffee' | 'x",
        'coffee & !beans',
        '-coffee',
        '^coffee',
        'coffee:*A',
        `=${life.driver.chainId}l coffee`,
        "'; drop table search_texts; --",
        '\\coffee\\',
        '{words} : coffee',
        'AND OR NOT',
        '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﬁ ½ Ⅷ',
        '\u0301\u0302',
      ]
      for (const [index, text] of hostile.entries()) {
        await live(plan(`hostile ${index}`, text))
        const found = await page({ text: `${text} x0` })
        expect(found.isCut).toBe(false)
      }
      for (const text of hostile) await page({ text })
      named('hostile 2')
      expect(await search({ text: 'words coffee' })).toEqual(
        ['hostile 13', 'hostile 2'].map((name) => names.get(hashOf(name)) ?? hashOf(name)),
      )
    })

    it('puts names before descriptions, whole words before beginnings, and the newer first', async () => {
      named('begins', 'older', 'newer', 'name', 'together')
      await live(
        [called('Coffee', rival)],
        plan('name', 'Beans', { by: rival }),
        plan('older', 'Coffee from here'),
        plan('newer', 'Coffee from there'),
        plan('begins', 'Coffeehouse'),
      )
      expect(await search({ text: 'coffee' })).toEqual(['name', 'newer', 'older', 'begins'])
      expect(await search({ text: 'coffee', sort: 'newest' })).toEqual(['begins', 'newer', 'older', 'name'])
      await live(plan('together', 'from coffee'), plan('begins 2', 'x'))
      expect(await search({ text: 'coffee from' })).toEqual(['newer', 'older', 'together'])
    })

    it('follows edits, new names and cancellations, and forgets what a reorganisation takes back', async () => {
      named('plan')
      await live(plan('plan', 'coffee'), [called('Acme')])
      await live([described('plan', 'tea')])
      expect(await search({ text: 'coffee' })).toEqual([])
      expect(await search({ text: 'tea acme' })).toEqual(['plan'])
      await live([called('Zenith')])
      expect(await search({ text: 'acme' })).toEqual([])
      await live([cancelled('plan')])
      expect(await search({ text: 'tea' })).toEqual([])
      expect(await search({ text: 'tea zenith', cancelled: true })).toEqual(['plan'])
      life.chain.drop(2)
      await live([])
      expect(await search({ text: 'tea acme' })).toEqual(['plan'])
      life.chain.drop(2)
      await live([])
      expect(await search({ text: 'coffee' })).toEqual(['plan'])
      life.chain.drop(3)
      await live([])
      expect(await search({ text: 'coffee' })).toEqual([])
    })

    it('finds a name however many newer ones have its words, with plans and without', async () => {
      named('old')
      const old = addressOf('old')
      await live([called('Lisbon Roasters', old)], plan('old', 'coffee', { by: old }))
      const others = Array.from({ length: 600 }, (_, index) => `Lisbon ${index}`)
      await live(others.map((name) => called(name, addressOf(name))))
      await live(others.slice(0, 300).flatMap((name) => plan(name, 'tea', { by: addressOf(name) })))
      expect(await search({ text: 'lisbon coffee' })).toEqual(['old'])
      expect(await search({ text: 'coffee lisbon', token: usdc, provider: old })).toEqual(['old'])
      expect(await search({ text: 'lisbon' }, { first: 400 })).toHaveLength(301)
    })

    it('stays on its chain', async () => {
      named('here', 'there')
      await live(plan('here', 'coffee'))
      const other = new ProjectionDriver(
        createProjection(stores.store),
        life.chain,
        life.driver.chainId + 10_000,
      )
      await other.catchUp()
      life.chain.mine(plan('there', 'coffee'))
      await other.catchUp()
      expect(await search({ text: 'coffee' })).toEqual(['here'])
    })

    it('says where more match than it ranks, which are the newest then, by their texts or names', async () => {
      await live(plan('one', 'coffee'))
      const { db } = stores.store
      const { chainId } = life.driver
      const { amount_order: _, ...row } = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('chain_id', '=', chainId)
        .executeTakeFirstOrThrow()
      const { words } = await db
        .selectFrom('search_texts')
        .select('words')
        .where('chain_id', '=', chainId)
        .executeTakeFirstOrThrow()
      for (let from = 0; from < 1_000; from += 500) {
        const copies = Array.from({ length: 500 }, (_, index) => ({
          ...row,
          id: hashOf(`copy ${from + index}`),
          created_log_index: row.created_log_index + 1 + from + index,
        }))
        await db.insertInto('subscriptions').values(copies).execute()
        const texts = copies.map(({ id: subject }) => ({ chain_id: chainId, subject, words }))
        await db.insertInto('search_texts').values(texts).execute()
      }
      const found = await page({ text: 'coffee' }, { first: 2 })
      expect(found.isCut).toBe(true)
      expect(found.rows.map(({ id }) => id)).toEqual([hashOf('copy 999'), hashOf('copy 998')])
      named('named')
      await live([called('Coffee', rival)], plan('named', 'beans', { by: rival }))
      expect(await search({ text: 'coffee' }, { first: 1 })).toEqual(['named'])
      expect(await search({ text: 'coffee beans' })).toEqual(['named'])
    })
  })

  describe('by amount', () => {
    const range = (least: bigint, most: bigint | null, tokens = [usdc]) => ({ least, most, tokens })

    it('compares numbers, not texts, in every order', async () => {
      named('2', '9', '10', '100')
      await live(...['100', '9', '10', '2'].map((name) => plan(name, 'plan', { amount: BigInt(name) * ONE })))
      expect(await search({ sort: 'lowest_amount' })).toEqual(['2', '9', '10', '100'])
      expect(await search({ sort: 'highest_amount' })).toEqual(['100', '10', '9', '2'])
      const amounts = [range(9n * ONE, 10n * ONE)]
      expect(await search({ amounts })).toEqual(['10', '9'])
      expect(await search({ amounts, sort: 'lowest_amount' })).toEqual(['9', '10'])
      expect(await search({ amounts, text: 'plan', sort: 'highest_amount' })).toEqual(['10', '9'])
      expect(await search({ amounts: [range(11n * ONE, null)] })).toEqual(['100'])
      expect(await search({ amounts: [] })).toEqual([])
    })

    it('gives each token its own bounds', async () => {
      named('usdc', 'dai')
      const amount = 10n * ONE + 1n
      await live(plan('usdc', 'plan', { amount }), plan('dai', 'plan', { amount, token: dai }))
      // With 6 decimals, what is beyond them is not charged.
      const amounts = [range(0n, 10n * ONE + 10n ** 12n - 1n), range(0n, 10n * ONE, [dai])]
      for (const query of [{}, { sort: 'lowest_amount' }, { text: 'plan' }] as const) {
        expect(await search({ ...query, amounts })).toEqual(['usdc'])
      }
    })
  })

  const ordered: [string, Partial<SearchQuery>][] = [
    ['by relevance', { text: 'coffee' }],
    ['by text and amount', { text: 'coffee', sort: 'lowest_amount' }],
    ['by the lowest amount', { sort: 'lowest_amount' }],
    ['by the highest amount', { sort: 'highest_amount' }],
    ['by subscribers', { sort: 'most_subscribers' }],
    ['by text and subscribers', { text: 'coffee', sort: 'most_subscribers' }],
    ['newest first within amounts', { amounts: [{ tokens: [usdc], least: ONE, most: null }] }],
  ]

  it.each(ordered)('gives pages that are the whole list, each row once: %s', async (_, query) => {
    const texts = ['coffee', 'coffeehouse', 'our coffee', 'a coffee a day']
    for (let index = 0; index < 9; index += 1) {
      await live(plan(`${index}`, texts[index % texts.length], { amount: BigInt(1 + (index % 4)) * ONE }))
    }
    const all = await search(query)
    expect(all).toHaveLength(9)
    const seen: string[] = []
    let after: string | undefined
    for (;;) {
      const { rows, nextCursor, hasMore } = await page(query, { first: 2, after })
      seen.push(...rows.map(({ id }) => names.get(id) ?? id))
      expect(hasMore).toBe(nextCursor !== null)
      if (nextCursor === null) break
      after = nextCursor
      // What comes meanwhile moves no row that is there.
      await live(plan(`later ${seen.length}`, 'coffee', { amount: 3n * ONE }))
    }
    expect(seen.filter((id) => all.includes(id))).toEqual(all)
    expect(new Set(seen).size).toBe(seen.length)
    const untilBlock = life.chain.firstBlock + 8
    expect(await search(query, { untilBlock })).toEqual(all)
    expect(await search(query, { untilBlock, skip: 3, first: 2 })).toEqual(all.slice(3, 5))
    await live([cancelled('4')])
    expect(await search(query, { untilBlock })).toEqual(all)
    expect(await search(query)).not.toContain(hashOf('4'))
  })

  it.each<[string, Partial<SearchQuery>]>([
    ['of all', {}],
    ['of those with these words', { text: 'coffee' }],
    ['of those within amounts', { amounts: [{ tokens: [usdc], least: ONE, most: null }] }],
  ])('gives the pages %s as of the first one where members come and go', async (_, query) => {
    const counts = [0, 3, 1, 5, 2, 2, 4, 0]
    const by = (event: 'Subscribed' | 'Unsubscribed', plan: number, member: number) =>
      subLog(eventNumber(event), {
        id: hashOf(`${plan}`),
        provider,
        token: usdc,
        subscriber: addressOf(`member ${member}`),
      })
    for (const [index, count] of counts.entries()) {
      named(`${index}`)
      const members = Array.from({ length: count }, (_, member) => by('Subscribed', index, member))
      await live([...plan(`${index}`, 'coffee'), ...members])
    }
    const sorted = { ...query, sort: 'most_subscribers' as const }
    const all = await search(sorted)
    expect(all).toEqual(['3', '6', '1', '5', '4', '2', '7', '0'])
    const untilBlock = await life.driver.tip().then(({ number }) => number)
    const first = await page(sorted, { first: 3 })
    // The last becomes the first, the first the last, and one of those to come ends.
    await live(Array.from({ length: 9 }, (_, member) => by('Subscribed', 0, member)))
    await live(Array.from({ length: 5 }, (_, member) => by('Unsubscribed', 3, member)))
    await live([by('Unsubscribed', 5, 0), by('Subscribed', 2, 7), by('Unsubscribed', 2, 7)])
    await live(plan('new', 'coffee'), [cancelled('4')])
    const second = await page(sorted, { first: 3, after: first.nextCursor ?? undefined })
    const third = await page(sorted, { first: 3, after: second.nextCursor ?? undefined })
    const told = [first, second, third].flatMap(({ rows }) => rows.map(({ id }) => names.get(id) ?? id))
    expect([told, third.nextCursor]).toEqual([all.filter((name) => name !== '4'), null])
    expect(await search(sorted, { untilBlock })).toEqual(all)
    expect((await search(sorted)).slice(0, 2)).toEqual(['0', '6'])
  })

  it.each(ordered)('refuses a cursor of another list, and one whose block is gone: %s', async (_, query) => {
    await live(plan('one', 'coffee'), plan('two', 'coffee'))
    const { nextCursor } = await page(query, { first: 1 })
    const after = nextCursor ?? expect.fail('there is one page only')
    await expect(page({ ...query, cancelled: true }, { after })).rejects.toBeInstanceOf(ValidationError)
    await expect(page({ ...query, text: 'tea' }, { after })).rejects.toBeInstanceOf(ValidationError)
    life.chain.drop(2)
    await live([], [], [])
    await expect(page(query, { after })).rejects.toBeInstanceOf(CursorStaleError)
  })

  it('finds what was indexed before it was searched by text', async () => {
    named('old', 'ended')
    await live(plan('old', 'coffee'), plan('ended', 'coffee'), [cancelled('ended')], [called('Acme')])
    const { searchTexts } = await projectionRows(stores.store, life.driver.chainId)
    await stores.store.transaction(async (db) => {
      if (stores.store.kind === 'sqlite') await sql`drop table search_words`.execute(db)
      await sql`drop table search_texts`.execute(db)
      for (const filters of ['', 'token_', 'frequency_', 'token_frequency_', 'provider_']) {
        await db.schema.dropIndex(`subscriptions_by_${filters}amount`).execute()
      }
      await sql`alter table subscriptions drop column amount_order`.execute(db)
      await addSearch(db)
    })
    expect((await projectionRows(stores.store, life.driver.chainId)).searchTexts).toEqual(searchTexts)
    expect(await search({ text: 'coffee acme' })).toEqual(['old'])
    expect(await search({ text: 'coffee', cancelled: true })).toEqual(['ended'])
    expect(await search({ sort: 'lowest_amount' })).toEqual(['old'])
    await live([described('old', 'tea')])
    expect(await search({ text: 'coffee' })).toEqual([])
    expect(await search({ text: 'tea' })).toEqual(['old'])
  })
})
