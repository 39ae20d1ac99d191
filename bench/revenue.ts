import { sql } from 'kysely'
import type { Address } from 'viem'
import { createProjection } from '../src/history/projection/createProjection.ts'
import { rangeOf, tokensOfRevenue, toRevenue } from '../src/presentation/revenue.ts'
import type { Store } from '../src/store/openStore.ts'
import { overBothStores } from './bothStores.ts'
import { median, table } from './print.ts'
import { FIRST_DAY, type PaidProvider, paymentSteps, YEAR } from './revenueWorld.ts'

// A million payments of a year: how long the revenue of that year by month takes for a provider with 50,000 subscribers,
// beside one with 10,000 and one with 500. The queries run in turns, with the arithmetic of the answer.

const CHAIN = 1
const ROUNDS = 40
const LEASE_MS = 600_000
const PAYMENTS = Number(process.argv[2] ?? 1_000_000)

async function fill(store: Store): Promise<readonly PaidProvider[]> {
  const projection = createProjection(store)
  const { identity, origin, providers, steps } = paymentSteps(CHAIN, PAYMENTS)
  const lease = await projection.take(identity, 'rpc', async () => origin, 'bench', LEASE_MS)
  if (lease === undefined) throw new Error('somebody else holds the lease')
  for (const { step, facts } of steps) {
    await projection.apply(lease, step.ancestor, step, facts, LEASE_MS)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return providers
}

const asked = { from: dateOf(FIRST_DAY), to: dateOf(FIRST_DAY + YEAR), interval: 'month' } as const

/** Milliseconds for the rows and the answer. */
async function timed(store: Store, provider: Address): Promise<number> {
  const begun = performance.now()
  const found = await createProjection(store).snapshot(CHAIN, (queries) =>
    queries.revenue({ provider }, rangeOf(asked)),
  )
  if (found === undefined) throw new Error('the chain has no row')
  const tokens = new Map(
    tokensOfRevenue(found.rows).map((address) => [
      address,
      { address, symbol: 'USDC', name: 'USD Coin', decimals: 6, ownDecimals: 6 },
    ]),
  )
  toRevenue(asked, found.rows, tokens, FIRST_DAY + YEAR)
  return performance.now() - begun
}

async function measure(name: string, store: Store): Promise<void> {
  const begun = performance.now()
  const providers = await fill(store)
  const seconds = (performance.now() - begun) / 1_000
  if (store.kind === 'postgres') await sql`vacuum analyze`.execute(store.db)
  const times = providers.map(() => [] as number[])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { address }] of providers.entries()) {
      times[index]?.push(await timed(store, address))
    }
  }
  const medians = times.map(median)
  const [least = Number.NaN] = medians
  const rows = providers.map(({ subscribers }, index) => {
    const ms = medians[index] ?? Number.NaN
    return [subscribers.toLocaleString('en'), ms.toFixed(1), `× ${(ms / least).toFixed(2)}`]
  })
  process.stdout.write(
    `${name}: ${PAYMENTS.toLocaleString('en')} payments, written in ${Math.round(seconds)} s\n\n` +
      `${table(['subscribers', 'ms for a year by month', 'ratio'], rows)}\n\n`,
  )
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

await overBothStores(measure)
