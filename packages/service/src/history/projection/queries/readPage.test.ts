import { CursorStaleError } from '@remit/engine/errors/chain'
import type { HistoryQueries, IndexedSubscription, LogPlace, PageQuery } from '@remit/engine/ports/history'
import {
  accounts,
  type ChainAct,
  forking,
  mining,
  perform,
  subscriptionIds,
} from '@remit/testing/support/history/chainActs'
import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import { SyntheticChain } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createProjection } from '../createProjection.ts'

const RUNS = { numRuns: 40 }
const whole: PageQuery = { first: 10_000, skip: 0, after: undefined, untilBlock: undefined }

interface NamedPage {
  readonly rows: readonly string[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

type List = (queries: HistoryQueries, page: PageQuery) => Promise<NamedPage>

const logs = {
  history: async (queries, page) => named(await queries.events(first(subscriptionIds), page), placeOf),
  activity: async (queries, page) => named(await queries.activity(first(accounts), page), placeOf),
  details: async (queries, page) => named(await queries.detailsLogs(first(subscriptionIds), page), placeOf),
} satisfies Record<string, List>

const searches = {
  'search, not cancelled': async (queries, page) => named(await searched(queries, page, false), idOf),
  'search, cancelled': async (queries, page) => named(await searched(queries, page, true), idOf),
} satisfies Record<string, List>

let chainIds = 0

describeStores('paging while steps arrive', (stores) => {
  const begin = async (acts: readonly ChainAct[]) => {
    const chain = new SyntheticChain()
    for (const act of acts) perform(chain, act)
    chainIds += 1
    const driver = new ProjectionDriver(createProjection(stores.store), chain, chainIds)
    await driver.catchUp()
    const read = async (list: List, page: Partial<PageQuery>): Promise<NamedPage> => {
      const projection = createProjection(stores.store)
      const found = await projection.snapshot(driver.chainId, (queries) =>
        list(queries, { ...whole, ...page }),
      )
      if (found === undefined) throw new Error('the chain has no row')
      return found.rows
    }
    const happen = async (act: ChainAct) => {
      perform(chain, act)
      await driver.catchUp()
    }
    return { chain, read, happen }
  }

  const past = fc.array(mining, { minLength: 4, maxLength: 12 })
  // As many blocks come as go, so that nothing goes that was final.
  const coming = fc.array(fc.oneof(mining, forking(2, 2)), { minLength: 1, maxLength: 6 })
  const size = fc.integer({ min: 1, max: 3 })

  it.each(Object.entries(logs))(
    'by cursors meets each row once, or says that one is gone: %s',
    async (_, list) => {
      const ends = { finished: 0, stale: 0 }
      await fc.assert(
        fc.asyncProperty(past, coming, size, async (before, acts, first) => {
          const { chain, read, happen } = await begin(before)
          const { rows } = await read(list, {})
          const seen: string[] = []
          let page = await read(list, { first })
          for (let turn = 0; ; turn += 1) {
            seen.push(...page.rows)
            if (page.nextCursor === null) break
            const stoodOn = chain.block(blockOf(page.rows.at(-1)))
            const act = acts[turn]
            if (act !== undefined) await happen(act)
            const isGone = stoodOn !== undefined && !chain.has(stoodOn)
            const next = await read(list, { first, after: page.nextCursor }).catch((error: unknown) => error)
            expect(next instanceof CursorStaleError).toBe(isGone)
            if (!isPage(next)) {
              ends.stale += 1
              return
            }
            page = next
          }
          ends.finished += 1
          expect(seen).toEqual(rows)
        }),
        RUNS,
      )
      expect(ends.finished).toBeGreaterThan(0)
    },
  )

  it.each(Object.entries({ ...logs, ...searches }))(
    'by cursors and by skip is exact as of a block: %s',
    async (_, list) => {
      await fc.assert(
        fc.asyncProperty(past, coming, size, fc.boolean(), async (before, acts, first, isByCursor) => {
          const { chain, read, happen } = await begin(before)
          const untilBlock = chain.head.number
          const { rows } = await read(list, {})
          expect((await read(list, { untilBlock })).rows).toEqual(rows)
          const seen: string[] = []
          let page = await read(list, { first, untilBlock })
          for (let turn = 0; ; turn += 1) {
            seen.push(...page.rows)
            if (!page.hasMore) break
            const act = acts[turn]
            if (act !== undefined) await happen(above(act, chain.head.number - untilBlock))
            const from = isByCursor ? { after: page.nextCursor ?? '' } : { skip: seen.length }
            page = await read(list, { first, untilBlock, ...from })
          }
          expect(seen).toEqual(rows)
        }),
        RUNS,
      )
    },
  )

  it.each(Object.entries(searches))(
    'by cursors gives each row that matches all the time once: %s',
    async (_, list) => {
      await fc.assert(
        fc.asyncProperty(past, fc.array(mining, { maxLength: 6 }), size, async (before, acts, first) => {
          const { read, happen } = await begin(before)
          let lasting = (await read(list, {})).rows
          const seen: string[] = []
          let page = await read(list, { first })
          for (let turn = 0; ; turn += 1) {
            seen.push(...page.rows)
            if (page.nextCursor === null) break
            const act = acts[turn]
            if (act !== undefined) await happen(act)
            const { rows } = await read(list, {})
            lasting = lasting.filter((row) => rows.includes(row))
            page = await read(list, { first, after: page.nextCursor })
          }
          expect(new Set(seen).size).toBe(seen.length)
          expect(lasting.filter((row) => !seen.includes(row))).toEqual([])
        }),
        RUNS,
      )
    },
  )
})

/** The act, no deeper than so many blocks. */
function above(act: ChainAct, depth: number): ChainAct {
  return act.type === 'fork' ? { ...act, depth: Math.min(act.depth, depth) } : act
}

function named<Row>(
  page: { rows: readonly Row[]; hasMore: boolean; nextCursor: string | null },
  nameOf: (row: Row) => string,
): NamedPage {
  expect(page.nextCursor !== null).toBe(page.hasMore)
  return { rows: page.rows.map(nameOf), hasMore: page.hasMore, nextCursor: page.nextCursor }
}

function placeOf({ blockNumber, logIndex, transactionHash }: LogPlace): string {
  return `${blockNumber}/${logIndex}/${transactionHash}`
}

function blockOf(place: string | undefined): number {
  return Number(place?.split('/')[0])
}

function idOf({ id }: IndexedSubscription): string {
  return id
}

function searched(queries: HistoryQueries, page: PageQuery, cancelled: boolean) {
  const filters = { provider: undefined, token: undefined, frequency: undefined, cancelled }
  return queries.search(filters, page, false)
}

function isPage(answer: unknown): answer is NamedPage {
  return typeof answer === 'object' && answer !== null && 'rows' in answer
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('there is none')
  return item
}
