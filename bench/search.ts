import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchQuery } from '@remit/engine/ports/history'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { writeTexts } from '@remit/service/testing/history/projection/search/writeTexts'
import { openStore, type Store } from '@remit/service/testing/store/openStore'
import { addressOf, hashOf } from '@remit/testing/support/history/SyntheticChain'
import { startInstalledPostgres } from '@remit/testing/support/stores/postgres'
import { sql } from 'kysely'
import { getAddress } from 'viem'
import { machine, quantile, table } from './print.ts'

// What a search takes among so many plans, in SQLite and in Postgres, beside looking one plan up by its id:
// `npm run bench -- search <plans>`.

const PLANS = Number(process.argv[2] ?? 100_000)
const CHAIN = 1
const PLANS_EACH = 20
const ROUNDS = 100
const WARM_UP = 10
const CHUNK = 500
const ONE = 10n ** 18n
const TOKENS = ['usdc', 'dai', 'eurc', 'weth'].map((name) => addressOf(name))
/** The first are in many texts, the last in few. */
const WORDS = 'coffee beans news music server backup tea wine books yoga chess atlas'.split(' ')

/** Always the same for the same numbers: from 0 to below `most`. */
function random(most: number, ...seed: readonly (number | string)[]): number {
  // FNV-1a: a digest for each would take most of the time.
  let hash = 2_166_136_261
  for (const letter of seed.join(' ')) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
  return ((hash ^ (hash >>> 15)) >>> 0) % most
}

/** Of these numbers the low ones are taken far more often. */
function lowest(most: number, ...seed: readonly (number | string)[]): number {
  return Math.min(random(most, 'a', ...seed), random(most, 'b', ...seed), random(most, 'c', ...seed))
}

function wordsFor(plan: number, count: number): string {
  return Array.from({ length: count }, (_, place) => WORDS[lowest(WORDS.length, plan, place)]).join(' ')
}

function planRow(plan: number) {
  return {
    chain_id: CHAIN,
    id: hashOf(`plan ${plan}`),
    provider: addressOf(`provider ${plan % Math.ceil(PLANS / PLANS_EACH)}`),
    token: TOKENS[lowest(TOKENS.length, 'token', plan)] ?? '',
    amount: (BigInt(1 + random(100, 'amount', plan)) * ONE).toString(),
    frequency: random(4, 'frequency', plan),
    due_day: 1,
    created_at: plan,
    created_block: plan,
    created_log_index: 1,
    transaction_hash: hashOf(`creation ${plan}`),
    cancelled: random(5, 'cancelled', plan) === 0 ? 1 : 0,
    cancelled_block: null,
    subscribers: Math.max(0, lowest(3_000, 'subscribers', plan) - 500),
  }
}

async function seed(store: Store): Promise<void> {
  const projection = createProjection(store)
  const origin = { number: PLANS, hash: hashOf('tip'), parentHash: hashOf('parent'), timestamp: PLANS }
  const identity = {
    chainId: CHAIN,
    genesisHash: hashOf('genesis'),
    contract: addressOf('contract'),
    firstBlock: 0,
  }
  await projection.take(identity, 'rpc', async () => origin, 'bench', 60_000)
  for (let from = 0; from < PLANS; from += CHUNK) {
    const plans = Array.from({ length: Math.min(CHUNK, PLANS - from) }, (_, index) => from + index)
    const rows = plans.map(planRow)
    const placeOf = (plan: number) => ({
      chain_id: CHAIN,
      block_number: plan,
      transaction_hash: hashOf(`creation ${plan}`),
      timestamp: plan,
    })
    const details = rows.map(({ id, provider, created_block: plan }) => {
      const description = `${wordsFor(plan, 6)}, plan ${plan}`
      return { ...placeOf(plan), log_index: 0, subscription_id: id, provider, url: '', description }
    })
    const events = rows.map(({ id, provider, token, amount, created_block: plan }) => {
      const subject = { subscription_id: id, provider, token, amount, subscriber: null }
      return { ...placeOf(plan), log_index: 1, event: 0, ...subject }
    })
    const profiles = rows
      .filter((_, index) => from + index < PLANS / PLANS_EACH)
      .map(({ provider, created_block: plan }) => {
        const others = { description: '', url: '', domain: '', email: '', misc: '' }
        return {
          ...placeOf(plan),
          log_index: 2,
          provider,
          company: `${wordsFor(plan, 2)} ${plan}`,
          ...others,
        }
      })
    await store.transaction(async (db) => {
      await db.insertInto('subscriptions').values(rows).execute()
      await db.insertInto('details_logs').values(details).execute()
      await db.insertInto('events').values(events).execute()
      if (profiles.length > 0) await db.insertInto('profile_logs').values(profiles).execute()
      const subscriptions = rows.map(({ id }) => id)
      await writeTexts(db, CHAIN, { subscriptions, providers: profiles.map(({ provider }) => provider) })
    })
  }
  await sql`analyze`.execute(store.db)
}

const any: SearchQuery = { provider: undefined, token: undefined, frequency: undefined, cancelled: false }
const usdc = getAddress(TOKENS[0] ?? '')
const upTo = (most: bigint) => [
  { tokens: TOKENS.map((token) => getAddress(token)), least: 0n, most: most * ONE },
]

const SEARCHES: Readonly<Record<string, (round: number) => SearchQuery>> = {
  'no filter': () => any,
  'q, of a word in many texts': () => ({ ...any, text: 'coffee' }),
  'q, of words in few texts': (round) => ({ ...any, text: `atlas chess ${round % 10}` }),
  'q and maxAmount': (round) => ({ ...any, text: 'coffee beans', amounts: upTo(BigInt(5 + (round % 10))) }),
  'token and frequency': () => ({ ...any, token: usdc, frequency: 1 }),
  'sort by subscribers': () => ({ ...any, sort: 'most_subscribers' }),
}

/** Milliseconds of a page of ten rows with their texts, or of one look-up. */
async function times(store: Store, query: ((round: number) => SearchQuery) | undefined): Promise<number[]> {
  const reader = createProjection(store)
  const taken: number[] = []
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const page = { first: 10, skip: 0, after: undefined, untilBlock: undefined }
    const begun = performance.now()
    await reader.snapshot(CHAIN, async (queries) => {
      if (query === undefined) return queries.latestDetails(hashOf(`plan ${random(PLANS, round)}`))
      return queries.search(query(round), page, true)
    })
    if (round >= WARM_UP) taken.push(performance.now() - begun)
  }
  return taken
}

async function measure(name: string, url: string): Promise<string[][]> {
  const store = await openStore(url)
  try {
    await seed(store)
    const one = quantile(await times(store, undefined), 0.5)
    const rows: string[][] = []
    for (const [what, query] of Object.entries(SEARCHES)) {
      const taken = await times(store, query)
      const [p50, p95] = [quantile(taken, 0.5), quantile(taken, 0.95)]
      rows.push([what, name, p50.toFixed(1), p95.toFixed(1), `${(p50 / one).toFixed(1)} ×`])
    }
    return rows
  } finally {
    await store.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
const postgres = await startInstalledPostgres()
try {
  process.stdout.write(`${PLANS.toLocaleString('en')} plans, on ${machine()}\n\n`)
  const urls: ['SQLite' | 'Postgres', string][] = [['SQLite', `file:${join(folder, 'store.db')}`]]
  if (postgres !== undefined) urls.push(['Postgres', postgres.url('postgres')])
  for (const [name, url] of urls) {
    const rows = await measure(name, url)
    process.stdout.write(`${table(['search', 'store', 'p50 ms', 'p95 ms', 'of one look-up'], rows)}\n\n`)
  }
} finally {
  rmSync(folder, { recursive: true })
  if (postgres !== undefined) {
    await postgres.stop('SIGQUIT')
    rmSync(postgres.folder, { recursive: true, force: true })
  }
}
