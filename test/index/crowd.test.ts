import { setTimeout as sleep } from 'node:timers/promises'
import { multipliedLimits } from '@remit/service/configuration/loadConfig'
import type { Store } from '@remit/service/testing/store/openStore'
import { openStore } from '@remit/service/testing/store/openStore'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Random, randomOf } from '../differential/random.ts'
import { type BusyLife, beginBusyLife } from '../support/chain/busyLife.ts'
import { mineAgain, reorganise } from '../support/chain/reorganise.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { environmentOf, reachesHead, rowsFromScratch, startIndexer } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'

const SEED = Number(process.env.CROWD_SEED ?? Math.floor(Math.random() * 2 ** 31))
const ROUNDS = 40
const READERS = 3

process.stderr.write(`test/index/crowd.test.ts: CROWD_SEED=${SEED}\n`)

const Event = z.object({ eventName: z.string(), blockNumber: z.number(), logIndex: z.number() })
const Page = z.object({
  error: z.string().optional(),
  count: z.number(),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  index: z.object({ blockNumber: z.number() }),
})
const History = Page.extend({ events: z.array(Event) })
const Activity = Page.extend({
  events: z.array(Event.extend({ roles: z.array(z.enum(['subscriber', 'provider'])) })),
  breakdown: z.object({ asSubscriber: z.number(), asProvider: z.number() }),
})
type Placed = z.output<typeof Event>

const service = await useBundle('packages/service/src/main.ts')
const chain = await useTestChain({ goesOn: true })
const random = randomOf(SEED)
const life = await beginBusyLife(chain, random)

describe.skipIf(!postgresIsInstalled)(`two indexers and three readers of one Postgres (seed ${SEED})`, () => {
  const postgres = usePostgres()

  it('give one consistent state in each answer, through transactions, reorgs and a kill', async () => {
    const url = await postgres.createDatabase()
    const environment = environmentOf(chain, url)
    const indexers = [await startIndexer(environment), await startIndexer(environment)]
    const [first, second] = indexers
    if (first === undefined || second === undefined) throw new Error('there are two')
    await first.says(/Remit indexes/)
    const store = await openStore(url)
    await life.mine(6)
    await reachesHead(store, chain)

    let isOver = false
    // All of them listen before anything happens.
    const rests = await Promise.all(Array.from({ length: READERS }, () => startReader(environment)))
    const readers = rests.map(async (rest, reader) => {
      const own = randomOf(SEED + 1 + reader)
      let answers = 0
      while (!isOver) answers += await readOnce(rest, own, life)
      return answers
    })
    for (let round = 0; round < ROUNDS; round += 1) {
      await live(round)
      if (round === ROUNDS / 2) {
        const leader = (await holds(store, first.process.pid)) ? first : second
        leader.process.kill('SIGKILL')
      }
    }
    await reachesHead(store, chain)
    isOver = true
    const answers = await Promise.all(readers)
    for (const count of answers) expect(count).toBeGreaterThan(20)

    const expected = await rowsFromScratch(chain, await postgres.createDatabase())
    expect(await projectionRows(store, chain.chainId)).toEqual(expected)
    expect(expected.events.length).toBeGreaterThan(50)
    await store.close()
  }, 180_000)
})

/** A stretch of life: transactions, now and then a day, now and then a branch that is lost. */
async function live(round: number): Promise<void> {
  await life.mine(4)
  if (round % 8 === 3) await life.nextDay()
  if (round % 5 === 4) {
    const depth = 1 + random.below(3)
    await reorganise(chain.client, depth, random.oneIn(2) ? [] : await mineAgain(chain.client, depth))
  }
  await sleep(100)
}

async function holds(store: Store, pid: number | undefined): Promise<boolean> {
  const row = await store.db.selectFrom('index_chains').select('holder').executeTakeFirst()
  return row?.holder?.split(' ').includes(String(pid)) === true
}

/** Starts a process that only reads, and returns where it answers. */
async function startReader(environment: Record<string, string>): Promise<string> {
  const reader = runBundled(service, [], {
    ...environment,
    ...multipliedLimits(100_000),
    INDEXER: 'false',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
  })
  const [, rest = ''] = await reader.says(/Remit is ready: REST (\S+),/)
  return rest
}

/** Asks for one account's or one subscription's whole history; returns how many answers it checked. */
async function readOnce(rest: string, own: Random, { ids, people }: BusyLife): Promise<number> {
  if (own.oneIn(2)) {
    const answer = await ask(`${rest}/accounts/${own.pick(people)}/activity?first=100`)
    if (answer === undefined) return 0
    const { events, breakdown, count, hasMore, index } = Activity.parse(answer)
    expectOrdered(events, index.blockNumber)
    expect(count).toBe(events.length)
    const as = (role: 'subscriber' | 'provider') => events.filter(({ roles }) => roles.includes(role)).length
    const counted = { asSubscriber: as('subscriber'), asProvider: as('provider') }
    if (!hasMore) expect(breakdown).toEqual(counted)
    return 1
  }
  const id = own.pick(ids)
  const rows: Placed[] = []
  let after: string | null = ''
  let answers = 0
  while (after !== null) {
    const answer = await ask(`${rest}/subscriptions/${id}/history?first=3${after && `&after=${after}`}`)
    if (answer === undefined) return answers
    const { events, nextCursor, index } = History.parse(answer)
    rows.push(...events)
    expectOrdered(rows, Math.max(index.blockNumber, rows[0]?.blockNumber ?? 0))
    answers += 1
    after = nextCursor
  }
  // A subscription's first event is its creation, and it has only one.
  const creations = rows.map(({ eventName }) => eventName === 'Created')
  expect(creations.lastIndexOf(true)).toBe(creations.length - 1)
  expect(creations.indexOf(true)).toBe(creations.length - 1)
  return answers
}

/** `undefined` where a reorg has taken away what was asked for, which is no fault of anybody's. */
async function ask(url: string): Promise<unknown> {
  const response = await fetch(url)
  const body: unknown = await response.json()
  if (response.status === 404 || response.status === 409) return undefined
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body
}

/** Newest first, each once, and none of a block that the index has not come to. */
function expectOrdered(rows: readonly Placed[], blockNumber: number): void {
  const places = rows.map((row) => row.blockNumber * 10_000 + row.logIndex)
  expect(places).toEqual([...new Set(places)].toSorted((one, other) => other - one))
  for (const row of rows) expect(row.blockNumber).toBeLessThanOrEqual(blockNumber)
}
