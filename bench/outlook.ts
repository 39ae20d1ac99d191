import { sql } from 'kysely'
import type { HistoryQueries } from '../src/core/ports/history.ts'
import { createProjection } from '../src/history/projection/createProjection.ts'
import { queryOutlook } from '../src/operations/outlook/providerOutlook.ts'
import type { Store } from '../src/store/openStore.ts'
import { overBothStores } from './bothStores.ts'
import { measureLoad } from './outlookLoad.ts'
import { type BenchProvider, CHAIN, fillOutlookWorld } from './outlookWorld.ts'
import { median, table } from './print.ts'

// Over a million rows of history: what the index takes for a provider with 50,000 subscribers, beside one with 10,000 and
// one with 500. Their queries run in turns.
//
// `npm run bench:outlook -- load <seconds> <memberships>…` looks at outlooks and pages while many memberships are due.

const SIZES = [500, 10_000, 50_000]
const HISTORY_ROWS = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 40

interface Measured {
  readonly name: string
  readonly query: (queries: HistoryQueries, provider: BenchProvider) => Promise<unknown>
}

const page = { days: 30, first: 25 }

const ask = (provider: BenchProvider['address'], input: typeof page, history: HistoryQueries) =>
  queryOutlook({ provider }, input, { today: history.indexDay, history })

/** What is measured of each provider. Further questions to the index stand here beside the outlook. */
const QUERIES: readonly Measured[] = [
  {
    name: 'outlook: first page and totals',
    query: (queries, { address }) => ask(address, page, queries),
  },
  {
    name: 'outlook: 92 days, 100 rows',
    query: (queries, { address }) => ask(address, { days: 92, first: 100 }, queries),
  },
]

async function timed(store: Store, measured: Measured, provider: BenchProvider): Promise<number> {
  const begun = performance.now()
  await createProjection(store).snapshot(CHAIN, (queries) => measured.query(queries, provider))
  return performance.now() - begun
}

async function measure(name: string, store: Store): Promise<void> {
  const providers = await fillOutlookWorld(store, SIZES, HISTORY_ROWS)
  if (store.kind === 'postgres') await sql`vacuum analyze`.execute(store.db)
  const rows: string[][] = []
  for (const measured of QUERIES) {
    const times = providers.map(() => [] as number[])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, provider] of providers.entries()) {
        times[index]?.push(await timed(store, measured, provider))
      }
    }
    const medians = times.map(median)
    const [least = Number.NaN] = medians
    rows.push([
      measured.name,
      ...medians.map((ms) => ms.toFixed(2)),
      `× ${((medians.at(-1) ?? Number.NaN) / least).toFixed(2)}`,
    ])
  }
  const heads = ['query', ...SIZES.map((size) => `ms at ${size.toLocaleString('en')}`), 'ratio']
  process.stdout.write(`${name}\n\n${table(heads, rows)}\n\n`)
}

const [, , what, seconds = 60, ...sizes] = process.argv
if (what === 'load')
  await measureLoad(Number(seconds) * 1_000, sizes.length === 0 ? undefined : sizes.map(Number))
else await overBothStores(measure)
