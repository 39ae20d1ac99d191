import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_TYPES } from '@remit/engine/ports/events'
import { openStore, type Store } from '@remit/service/testing/store/openStore'
import { afterAll, afterEach, expect, it } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { mineAgain, reorganise } from '../support/chain/reorganise.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { killPrograms, type Program, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { environmentOf, reachesHead, startIndexer } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { aboutOf, knownOf, type Manner, type Received, Receiver } from '../support/webhooks/Receiver.ts'
import {
  anyChallenge,
  listeningTo,
  startDelivering,
  TEST_SECRETS_KEY,
} from '../support/webhooks/startDelivering.ts'

const SEED = Number(process.env.KILLS_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** Of each store. */
const KILLS = trials({ short: 4, nightly: 50 })
const DELIVERERS = 2
const MOST_DEPTH = 60
const OWNER = 'ada'
const PATIENCE_MS = 60_000

process.stderr.write(`test/webhooks/kills.test.ts: KILLS_SEED=${SEED}\n`)

const random = randomOf(SEED)
const chain = await useTestChain({ goesOn: true })
const first = Number(await chain.client.getBlockNumber())
const life = await beginBusyLife(chain, random)
for (let block = 0; block < 16; block += 1) await life.mine(3)
await chain.client.mine({ blocks: MOST_DEPTH - 16 })

const folder = mkdtempSync(join(tmpdir(), 'remit-kills-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(killPrograms)
const postgres = usePostgres()
const sqliteUrl = (name: string) => `file:${join(folder, `${name}.db`)}`

/** How endpoints answer while processes are killed, if not well. */
const MANNERS: readonly Manner[] = ['fail', 'hang', 'slow', 'close', 'cut', 'gone', 'redirect']

/** One store with its indexer, its deliverers and the endpoints that they tell. */
async function beginRig(url: string) {
  const store = await openStore(url)
  const receiver = await new Receiver().start()
  let areWell = false
  let wasPaused = false
  receiver.manner = (path) => {
    // At least once, whatever comes by chance.
    if (path === '/all' && !wasPaused) return 'gone'
    return areWell || random.oneIn(2) ? 'accept' : random.pick(MANNERS)
  }
  // Only its management is used here: the deliverers are programs.
  const { webhooks, stop } = startDelivering(store)
  const [subscription] = life.ids
  if (subscription === undefined) throw new Error('nothing was created')
  for (const [path, wishes] of [
    ['/all', {}],
    ['/one', { subscriptionId: subscription }],
    ['/payments', { types: ['payment.succeeded', 'payment.failed'] as const }],
  ] as const) {
    await webhooks.create(OWNER, { ...listeningTo(receiver.url(path)), ...wishes }, anyChallenge)
  }
  const environment = {
    ...environmentOf(chain, url),
    WEBHOOKS: 'true',
    SECRETS_KEY: TEST_SECRETS_KEY,
    WEBHOOKS_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'warn',
  }
  const deliver = await useBundle('test/webhooks/deliverProgram.ts')
  const starts = [
    // As long as those of the deliverers. A shorter lease is lost where the machine is busy.
    () => startIndexer(environment, { leaseSeconds: 1.5 }),
    ...Array.from({ length: DELIVERERS }, () => async () => runBundled(deliver, [], environment)),
  ]
  const running: Program[] = []
  for (const start of starts) running.push(await start())
  await Promise.all(running.map((one) => one.says(/Remit (indexes|delivers)/, 60_000)))
  /** Their owner resumes those that were paused, because they answered 410. */
  async function resume(): Promise<number> {
    const { rows } = await webhooks.list(OWNER, { first: 10, after: undefined })
    const paused = rows.filter(({ pausedAt }) => pausedAt !== null)
    for (const { id } of paused) await webhooks.resume(OWNER, id)
    wasPaused ||= paused.length > 0
    return paused.length
  }
  return {
    url,
    store,
    receiver,
    subscription,
    resume,
    async kill() {
      const victim = random.below(running.length)
      running[victim]?.process.kill('SIGKILL')
      await running[victim]?.ends()
      const start = starts[victim]
      if (start !== undefined) running[victim] = await start()
    },
    getWell() {
      areWell = true
    },
    async end() {
      for (const one of running) one.process.kill('SIGTERM')
      expect(await Promise.all(running.map((one) => one.ends()))).toEqual(running.map(() => 0))
      await stop()
      await receiver.close()
      await store.close()
    },
  }
}

type Rig = Awaited<ReturnType<typeof beginRig>>

async function logOf(store: Store) {
  const rows = await store.db.selectFrom('event_log').selectAll().orderBy('sequence').execute()
  return rows.map(({ id, sequence, type, subscription_id, token, provider, retracted_by }) => ({
    id,
    sequence,
    type: EVENT_TYPES[type],
    subscription: subscription_id,
    about: aboutOf({ subscriptionId: subscription_id, token, provider }),
    stands: retracted_by === null && EVENT_TYPES[type] !== 'retracted',
  }))
}

/** The ids that stand at the end for a receiver that deduplicates and undoes, by what they are about, in their order. */
function standing(received: readonly Received[]): Map<string, string[]> {
  const byPlace = new Map(received.filter(({ accepted }) => accepted).map((one) => [one.sequence, one]))
  const standing = new Map<string, string[]>()
  for (const [about, sequences] of knownOf(received)) {
    let ids: string[] = []
    for (const sequence of sequences) {
      const one = byPlace.get(sequence)
      if (one?.type === 'retracted') ids = ids.filter((id) => !one.ids.includes(id))
      else if (one !== undefined) ids.push(one.id)
    }
    if (ids.length > 0) standing.set(about, ids)
  }
  return standing
}

function grouped<Row extends { readonly about: string }, Value>(
  rows: readonly Row[],
  value: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const row of rows) groups.set(row.about, [...(groups.get(row.about) ?? []), value(row)])
  return groups
}

const sorted = <Value>(groups: ReadonlyMap<string, Value>) => new Map([...groups].toSorted())

/** What the chain says at its end, by an index that nobody has disturbed. */
async function model() {
  const url = sqliteUrl('model')
  const indexer = await startIndexer(environmentOf(chain, url))
  await indexer.says(/Remit indexes/)
  const store = await openStore(url)
  await reachesHead(store, chain, PATIENCE_MS)
  indexer.process.kill('SIGTERM')
  await indexer.ends()
  const rows = await logOf(store)
  await store.close()
  return rows
}

async function holds({ store, receiver, subscription }: Rig, told: Awaited<ReturnType<typeof model>>) {
  const log = await logOf(store)
  const poll = { timeout: PATIENCE_MS, interval: 200 }
  const isOne = (row: { readonly subscription: string | null }) =>
    row.subscription === subscription.toLowerCase()
  const isPayment = ({ type }: { readonly type: string | undefined }) => type?.startsWith('payment.') ?? false
  // Each at least once, in order, with every retraction.
  for (const [path, rows] of [
    ['/all', log],
    ['/one', log.filter(isOne)],
  ] as const) {
    const expected = sorted(grouped(rows, ({ sequence }) => sequence))
    await expect.poll(() => sorted(knownOf(receiver.at(path))), poll).toEqual(expected)
  }
  // What stands is what the chain says.
  for (const [path, rows] of [
    ['/all', told],
    ['/one', told.filter(isOne)],
    ['/payments', told.filter(isPayment)],
  ] as const) {
    const expected = sorted(grouped(rows, ({ id }) => id))
    await expect.poll(() => sorted(standing(receiver.at(path))), poll).toEqual(expected)
  }
  const ids = new Set(log.map(({ id }) => id))
  expect(receiver.received.filter(({ type, id }) => type !== 'webhook.challenge' && !ids.has(id))).toEqual([])
  return log.filter(({ stands }) => !stands).length
}

/** A stretch of the chain's life: blocks, now and then a day, now and then a branch that is lost. */
async function goOn(): Promise<void> {
  await life.mine(4)
  if (random.oneIn(4)) await life.nextDay()
  if (random.oneIn(2)) return
  const mined = Number(await chain.client.getBlockNumber()) - first - 1
  const depth = 1 + random.below(Math.min(mined, random.oneIn(3) ? MOST_DEPTH : 6))
  await reorganise(chain.client, depth, random.oneIn(2) ? [] : await mineAgain(chain.client, depth))
}

it(
  `a receiver that deduplicates ends with exactly what the chain says, in order, whoever is killed (seed ${SEED})`,
  async () => {
    const urls = [sqliteUrl('store'), ...(postgresIsInstalled ? [await postgres.createDatabase()] : [])]
    const rigs = await Promise.all(urls.map(beginRig))
    let resumed = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let step = 0; step < 2; step += 1) {
        await goOn()
        await sleep(random.below(400))
        for (const rig of rigs) resumed += await rig.resume()
      }
      // Otherwise the branch may be lost before anybody was told of it.
      if (random.oneIn(2)) for (const { store } of rigs) await reachesHead(store, chain, PATIENCE_MS)
      await Promise.all(rigs.map((rig) => rig.kill()))
    }
    for (const { store } of rigs) await reachesHead(store, chain, PATIENCE_MS)
    await reorganise(chain.client, MOST_DEPTH, await mineAgain(chain.client, MOST_DEPTH))
    await life.mine(4)
    for (const rig of rigs) rig.getWell()
    for (const { store } of rigs) await reachesHead(store, chain, PATIENCE_MS)
    const told = await model()
    let isOver = false
    const resuming = (async () => {
      while (!isOver) {
        for (const rig of rigs) resumed += await rig.resume()
        await sleep(300)
      }
    })()
    try {
      for (const rig of rigs) expect(await holds(rig, told)).toBeGreaterThan(10)
    } finally {
      isOver = true
      await resuming
    }
    expect(resumed).toBeGreaterThan(0)
    for (const rig of rigs) await rig.end()
  },
  trialsTimeoutMs(180_000),
)
