import { CursorStaleError } from '@remit/engine/errors/chain'
import type { PageQuery, SearchFilters } from '@remit/engine/ports/history'
import { MEMBER_SORTS } from '@remit/engine/ports/verdicts'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import {
  addressOf,
  eventNumber,
  hashOf,
  loose,
  subLog,
  syntheticTerms,
} from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { toHex } from '../columns.ts'
import { verdictStore } from '../verdicts/verdictStore.ts'

const provider = addressOf('provider')
const rival = addressOf('rival')
const [alice, bob, carol] = [addressOf('alice'), addressOf('bob'), addressOf('carol')].sort()
const id = hashOf('subscription')
const NOTHING_MISSING = { missingAllowance: 0n, missingBalance: 0n }
const all: PageQuery = { first: 100, skip: 0, after: undefined, untilBlock: undefined }
const any: SearchFilters = { provider: undefined, token: undefined, frequency: undefined, cancelled: false }

const created = (of = id, by = provider, token = addressOf('token')) =>
  subLog(eventNumber('Created'), { id: of, provider: by, token })
const cancelled = (of = id) => subLog(eventNumber('Cancelled'), { id: of, provider, amount: 0n })
const by = (name: Parameters<typeof eventNumber>[0], subscriber = alice, of = id) =>
  subLog(eventNumber(name), { id: of, provider, ...(subscriber ? { subscriber } : {}) })
const details = (url: string, author = provider, of = id) =>
  loose({ type: 'DetailsLog', id: of, provider: author, timestamp: 0, url, description: 'd' })

describeStores('the queries', (stores) => {
  const life = useProjectionLife(stores)
  const { live, ask } = life
  const search = async (filters: Partial<SearchFilters>, page: Partial<PageQuery> = {}) => {
    const found = await ask((queries) => queries.search({ ...any, ...filters }, { ...all, ...page }, false))
    return found.rows.map((row) => row.id)
  }

  /** Rows like another's, each created in the place behind the one before: steps would take their time for thousands. */
  const copySubscription = async (of: Hex, copies: readonly Hex[]) => {
    const { db } = stores.store
    const { amount_order: _, ...row } = await db
      .selectFrom('subscriptions')
      .selectAll()
      .where('chain_id', '=', life.driver.chainId)
      .where('id', '=', of)
      .executeTakeFirstOrThrow()
    const rows = copies.map((copy, index) => {
      return { ...row, id: copy, created_log_index: row.created_log_index + 1 + index }
    })
    for (let from = 0; from < rows.length; from += 500) {
      await db
        .insertInto('subscriptions')
        .values(rows.slice(from, from + 500))
        .execute()
    }
  }

  describe('history', () => {
    it('has the events as they were logged, newest first, and says which are final', async () => {
      await live([created()], [by('Subscribed'), by('FeeFilled')], [], [], [])
      const { rows, hasMore, nextCursor } = await ask((queries) => queries.events(id, all))
      const [filled, subscribed, creation] = rows
      expect([rows.length, hasMore, nextCursor]).toEqual([3, false, null])
      const block = life.chain.blocks[1]
      expect(filled).toEqual({
        blockNumber: 101,
        logIndex: 1,
        transactionHash: block?.events[1]?.transactionHash,
        timestamp: block?.ref.timestamp,
        finalized: true,
        subscriptionId: id,
        provider: getAddress(provider),
        subscriber: getAddress(alice ?? ''),
        token: getAddress(addressOf('token')),
        subScriptEvent: eventNumber('FeeFilled'),
        amount: 10n ** 19n,
      })
      expect(subscribed).toMatchObject({ subScriptEvent: eventNumber('Subscribed'), finalized: true })
      expect(creation).toMatchObject({ subscriber: null, blockNumber: 100 })
      await live([by('Unsubscribed')])
      expect((await ask((queries) => queries.events(id, all))).rows[0]?.finalized).toBe(false)
    })

    it('keeps an amount of any size', async () => {
      const amount = 2n ** 256n - 1n
      await live([created(), subLog(2, { id, provider, subscriber: provider, amount })])
      expect((await ask((queries) => queries.events(id, all))).rows[0]?.amount).toBe(amount)
    })

    it('is empty for a subscription without events', async () => {
      await live([created()])
      const none = { rows: [], hasMore: false, nextCursor: null }
      expect(await ask((queries) => queries.events(hashOf('unknown'), all))).toEqual(none)
    })
  })

  describe('activity', () => {
    it('has each event once with the account’s roles in it, and counts the whole history', async () => {
      const own = subLog(eventNumber('Unsubscribed'), { id, provider, subscriber: provider })
      await live([created(), by('Subscribed')], [own])
      const found = await ask((queries) => queries.activity(provider, { ...all, first: 2 }))
      expect(found.rows.map(({ roles }) => roles)).toEqual([['subscriber', 'provider'], ['provider']])
      expect([found.hasMore, found.breakdown]).toEqual([true, { asSubscriber: 1, asProvider: 3 }])
      const rest = await ask((queries) =>
        queries.activity(provider, { ...all, after: found.nextCursor ?? '' }),
      )
      expect(rest.rows.map((row) => 'subScriptEvent' in row && row.subScriptEvent)).toEqual([
        eventNumber('Created'),
      ])
    })

    it('finds an account in any letter case', async () => {
      await live([created(), by('Subscribed')])
      const found = await ask((queries) => queries.activity(getAddress(alice ?? ''), all))
      expect(found.rows.map(({ roles }) => roles)).toEqual([['subscriber']])
    })

    it('skips over both roles together', async () => {
      const mixed = [by('Subscribed', provider), created(hashOf('own')), by('Unsubscribed', provider)]
      const others = [subLog(6, { id: hashOf('b'), provider: rival, subscriber: provider })]
      await live([created(), ...mixed], others, [by('Subscribed', carol)])
      const whole = await ask((queries) => queries.activity(provider, all))
      expect(whole.rows).toHaveLength(6)
      for (let skip = 0; skip <= 6; skip += 1) {
        const { rows } = await ask((queries) => queries.activity(provider, { ...all, first: 2, skip }))
        expect(rows).toEqual(whole.rows.slice(skip, skip + 2))
      }
    })
  })

  describe('details and profiles', () => {
    it('are the newest by the provider, not by a stranger', async () => {
      await live([details('1'), created()], [details('2')], [details('3', rival)])
      expect((await ask((queries) => queries.latestDetails(id)))?.url).toBe('2')
      const { rows } = await ask((queries) => queries.detailsLogs(id, all))
      expect(rows.map(({ url }) => url)).toEqual(['2', '1'])
      expect(await ask((queries) => queries.latestDetails(hashOf('unknown')))).toBeUndefined()
    })

    it('are the newest of a provider', async () => {
      const texts = { company: 'c', url: '', domain: '', email: '', misc: 'm' }
      const profile = (description: string, of = provider) =>
        loose({ type: 'ProvDetailsLog', provider: of, timestamp: 0, description, ...texts })
      await live([profile('old'), profile('new')], [profile('rival’s', rival)])
      expect(await ask((queries) => queries.latestProfile(getAddress(provider)))).toMatchObject({
        description: 'new',
        ...texts,
        blockNumber: 100,
        logIndex: 1,
      })
      expect(await ask((queries) => queries.latestProfile(carol ?? provider))).toBeUndefined()
      const known = await ask((queries) => queries.companies([getAddress(provider), carol ?? provider]))
      expect([...known.keys()]).toEqual([getAddress(provider)])
    })
  })

  describe('search', () => {
    it('finds by each filter and all of them, newest first', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => hashOf(`s${index}`))
      const tokens = [addressOf('t0'), addressOf('t1')]
      const makers = [provider, rival]
      await live(ids.map((of, index) => created(of, makers[index % 2], tokens[index % 3 === 0 ? 0 : 1])))
      await live([cancelled(ids[2]), cancelled(ids[9])])
      const terms = syntheticTerms({ events: life.chain.blocks.flatMap(({ events }) => events) })
      const newest = ids.toReversed()
      const expected = ({ provider, token, frequency, cancelled }: SearchFilters) =>
        newest.filter((of) => {
          const index = ids.indexOf(of)
          return (
            [2, 9].includes(index) === cancelled &&
            (provider === undefined || makers[index % 2] === provider) &&
            (token === undefined || tokens[index % 3 === 0 ? 0 : 1] === token) &&
            (frequency === undefined || terms.get(of)?.frequency === frequency)
          )
        })
      for (const cancelled of [false, true]) {
        for (const provider of [undefined, ...makers]) {
          for (const token of [undefined, ...tokens]) {
            for (const frequency of [undefined, 0, 1, 2, 3] as const) {
              const filters = { provider, token, frequency, cancelled }
              expect(await search(filters)).toEqual(expected(filters))
            }
          }
        }
      }
    })

    it('gives the terms and, if asked, the details', async () => {
      await live([details('1'), created()], [created(hashOf('bare'))])
      const schedule = syntheticTerms({ events: life.chain.blocks.flatMap(({ events }) => events) }).get(id)
      const { rows } = await ask((queries) => queries.search(any, all, true))
      expect(rows[0]?.texts).toEqual({ details: null, company: null, subscribers: 0 })
      expect(rows[1]).toEqual({
        id,
        provider: getAddress(provider),
        token: getAddress(addressOf('token')),
        amount: 10n ** 19n,
        ...schedule,
        cancelled: false,
        createdAt: life.chain.blocks[0]?.ref.timestamp,
        texts: { details: { url: '1', description: 'd' }, company: null, subscribers: 0 },
      })
    })

    it('judges what is cancelled as of a block', async () => {
      const [one, two, three] = [hashOf('1'), hashOf('2'), hashOf('3')]
      await live([created(one), created(two)], [cancelled(one)], [created(three), cancelled(two)])
      expect(await search({ cancelled: false }, { untilBlock: 100 })).toEqual([two, one])
      expect(await search({ cancelled: true }, { untilBlock: 100 })).toEqual([])
      expect(await search({ cancelled: false }, { untilBlock: 101 })).toEqual([two])
      expect(await search({ cancelled: true }, { untilBlock: 101 })).toEqual([one])
      expect(await search({ cancelled: false }, { untilBlock: 102 })).toEqual([three])
      expect(await search({ cancelled: true }, { untilBlock: 102 })).toEqual([two, one])
    })

    it('makes the caller begin the list again if more than 5,000 were cancelled since', async () => {
      const ids = Array.from({ length: 5_001 }, (_, index) => hashOf(`many ${index}`))
      const [kept = id, lost = id, ...others] = ids
      await live([created(kept), created(lost)], [cancelled(lost)])
      await copySubscription(lost, others)
      const last = ids.toReversed().slice(0, 2)
      expect(await search({}, { untilBlock: 100, first: 2 })).toEqual(last)
      expect(await search({}, { untilBlock: 100, first: 2, skip: 4_999 })).toEqual([ids[1], ids[0]])
      await live([cancelled(ids[0])])
      await expect(search({}, { untilBlock: 100 })).rejects.toBeInstanceOf(CursorStaleError)
      await expect(search({ cancelled: true }, { untilBlock: 100 })).rejects.toBeInstanceOf(CursorStaleError)
      expect(await search({}, { untilBlock: 101 })).toEqual([ids[0]])
    })
  })

  describe('members', () => {
    it('are the present subscribers, in the order of addresses', async () => {
      await live([created()], [by('Subscribed', carol), by('Subscribed', alice), by('Subscribed', bob)])
      await live([by('Unsubscribed', bob)])
      const list = (page: { first: number; skip: number; after: typeof provider | undefined }) =>
        ask((queries) => queries.subscribers(id, page))
      const checksummed = [alice, carol].map((account) => getAddress(account ?? ''))
      expect(await list({ first: 5, skip: 0, after: undefined })).toEqual(checksummed)
      expect(await list({ first: 5, skip: 1, after: undefined })).toEqual(checksummed.slice(1))
      expect(await list({ first: 5, skip: 0, after: checksummed[0] })).toEqual(checksummed.slice(1))
      const counts = await ask((queries) => queries.subscriberCounts([id, hashOf('unknown')]))
      expect([...counts]).toEqual([
        [id, 2],
        [hashOf('unknown'), 0],
      ])
    })

    it('are those of all live subscriptions of a provider, each once through the pages of any order', async () => {
      const [other, over, foreign] = [hashOf('other'), hashOf('over'), hashOf('foreign')]
      await live([created(), created(other), created(over), created(foreign, rival)])
      for (const account of [carol, bob, alice]) await live([by('Subscribed', account)])
      await live([
        by('Subscribed', bob, other),
        by('Subscribed', carol, over),
        by('Subscribed', bob, foreign),
      ])
      await live([by('Unsubscribed', bob), cancelled(over)], [by('Subscribed', bob)])
      const query = {
        provider: getAddress(provider),
        subscriptionId: undefined,
        address: undefined,
        first: 1,
      }
      for (const [sort, newest] of [
        ['trouble', undefined],
        ['nextCharge', undefined],
        ['subscribedAt', bob],
        ['subscriber', carol],
      ] as const) {
        const told: string[] = []
        let after: string | undefined
        do {
          const page = { ...query, sort, order: 'desc' as const, after }
          const { rows, total, nextCursor } = await ask((queries) => queries.members(page))
          expect(total).toBe(4)
          told.push(...rows.map(({ subscriber, terms }) => `${subscriber.toLowerCase()} ${terms.id}`))
          after = nextCursor ?? undefined
        } while (after !== undefined)
        const members = [alice, bob, carol].map((account) => `${account} ${id}`)
        expect(told.toSorted()).toEqual([...members, `${bob} ${other}`].toSorted())
        if (newest !== undefined) expect(told[0]).toContain(newest)
      }
      const ofOne = {
        ...query,
        subscriptionId: id,
        sort: 'subscriber' as const,
        order: 'asc' as const,
        after: undefined,
      }
      const address = { part: (carol ?? '').slice(10, 30) }
      const { rows, total } = await ask((queries) => queries.members({ ...ofOne, address }))
      expect([rows.map(({ subscriber }) => subscriber), total]).toEqual([[getAddress(carol ?? '')], 1])
      await live([details('1', provider, other)])
      expect([...(await ask((queries) => queries.descriptions([id, other])))]).toEqual([[other, 'd']])
    })

    describe('come each once, in the order of the first page, whatever moves them meanwhile:', () => {
      const members = Array.from({ length: 8 }, (_, index) => addressOf(`member ${index}`))
      const query = {
        provider: getAddress(provider),
        subscriptionId: undefined,
        address: undefined,
        first: 2,
      }
      const read = async (days: readonly number[]) => {
        const block = await life.driver.tip()
        const found = days.map((day, index) => ({
          subscriptionId: id,
          subscriber: getAddress(members[index] ?? ''),
          verdict: {
            firstDay: day,
            charges: 'X',
            trouble: day % 2 === 0 ? null : { ...NOTHING_MISSING, kind: 'balance' as const, dayNumber: day },
          },
          sweepAt: block.timestamp,
        }))
        await verdictStore(stores.store).writeVerdicts(await life.driver.lease(), block, found)
      }
      const listed = (
        sort: (typeof MEMBER_SORTS)[number],
        order: 'asc' | 'desc',
        after?: string,
        first = 2,
      ) => ask((queries) => queries.members({ ...query, sort, order, first, after }))
      const namesOf = ({ rows }: Awaited<ReturnType<typeof listed>>) =>
        rows.map(({ subscriber }) => subscriber)

      it.each(MEMBER_SORTS.flatMap((sort) => [[sort, 'asc'] as const, [sort, 'desc'] as const]))(
        'by %s, %s',
        async (sort, order) => {
          await live([created(), created(hashOf('other'))])
          for (const member of members) await live([by('Subscribed', member)])
          await read([20, 21, 23, 22, 25, 24, 27, 26])
          const whole = namesOf(await listed(sort, order, undefined, 100))
          const told: string[] = []
          let after: string | undefined
          const [leaves, returns] = whole.slice(6).map((name) => toHex(name.toLowerCase()))
          for (const meanwhile of [
            // All change places; then one is unread since an event; then one leaves, one comes back and one is new.
            () => read([37, 36, 34, 35, 30, 31, 22, 20]),
            () => live([by('Subscribed', members[3], hashOf('other'))]),
            async () => {
              await live([by('Unsubscribed', leaves), by('Unsubscribed', returns)])
              await live([by('Subscribed', returns), by('Subscribed', addressOf('newcomer'))])
              await read([40, 41, 43, 42, 45, 44, 47, 46])
            },
            async () => {},
          ]) {
            const page = await listed(sort, order, after)
            told.push(...namesOf(page))
            after = page.nextCursor ?? undefined
            await meanwhile()
          }
          expect(told).toEqual(whole.slice(0, 6))
          expect(after).toBeUndefined()
          expect(namesOf(await listed(sort, order, undefined, 100))).toHaveLength(9)
        },
      )

      it('or the caller must begin the list again', async () => {
        await live([created(), ...members.map((member) => by('Subscribed', member))])
        const { nextCursor } = await listed('trouble', 'asc')
        const after = nextCursor ?? expect.fail('there is one page only')
        const { db } = stores.store
        const pass = (changes: number) =>
          db
            .updateTable('index_chains')
            .set((row) => ({ placings: row('placings', '+', changes) }))
            .where('chain_id', '=', life.driver.chainId)
            .execute()
        const left = () =>
          db
            .selectFrom('former_places')
            .select('first_day')
            .where('chain_id', '=', life.driver.chainId)
            .where('first_day', 'is not', null)
            .execute()
        await read([20])
        await read([21])
        await pass(996)
        await read([22])
        expect((await listed('trouble', 'asc', after)).rows).toHaveLength(2)
        expect(await left()).toEqual([{ first_day: 20 }, { first_day: 21 }])
        await read([22])
        await expect(listed('trouble', 'asc', after)).rejects.toBeInstanceOf(CursorStaleError)
        // What no list can need any more is forgotten.
        await pass(999)
        await read([22])
        expect(await left()).toEqual([])
      })
    })

    it('have their subscriptions in the order of first subscribing, with their status', async () => {
      const [first, second] = [hashOf('x1'), hashOf('x2')].sort().reverse()
      await live([created(first), created(second)], [by('Subscribed', alice, first)])
      await live([by('Subscribed', alice, second)], [by('Unsubscribed', alice, first)])
      const rows = [
        { subscriptionId: first, status: 'UNSUBSCRIBED' },
        { subscriptionId: second, status: 'ACTIVE' },
      ]
      const account = alice ?? provider
      const read = (page: { first?: number; skip?: number; activeOnly?: boolean }) =>
        ask((queries) => queries.memberships(account, { first: 10, skip: 0, ...page }))
      expect(await read({})).toEqual(rows)
      expect(await read({ first: 1 })).toEqual(rows.slice(0, 1))
      expect(await read({ skip: 1 })).toEqual(rows.slice(1))
      expect(await read({ activeOnly: true })).toEqual(rows.slice(1))
      expect(await ask((queries) => queries.accountCounts(account))).toEqual({ subscribedTo: 2, created: 0 })
    })

    it('have the subscriptions that they created, oldest first, cancelled or not', async () => {
      const ids = [hashOf('c1'), hashOf('c2'), hashOf('c3')]
      await live(ids.map((of) => created(of)))
      await live([cancelled(ids[1]), created(hashOf('c4'), rival)])
      const read = (first: number, skip: number) =>
        ask((queries) => queries.created(provider, { first, skip }))
      expect(await read(10, 0)).toEqual(ids)
      expect(await read(1, 1)).toEqual(ids.slice(1, 2))
      expect(await ask((queries) => queries.accountCounts(provider))).toEqual({ subscribedTo: 0, created: 3 })
    })

    it('pay in each token in which a subscription was created', async () => {
      const tokens = [addressOf('t0'), addressOf('t1')].sort()
      await live([created(hashOf('1'), provider, tokens[1]), created(hashOf('2'), provider, tokens[0])])
      const checksummed = tokens.map((token) => getAddress(token))
      expect(await ask((queries) => queries.tokens())).toEqual(checksummed)
    })
  })
})
