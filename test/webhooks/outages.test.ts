import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, type Store } from '@remit/service/testing/store/openStore'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { killPrograms, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { trials } from '../support/runner/trials.ts'
import { environmentOf, reachesHead, startIndexer } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { startSilentProxy } from '../support/stores/silentProxy.ts'
import { Receiver } from '../support/webhooks/Receiver.ts'
import {
  anyChallenge,
  listeningTo,
  startDelivering,
  TEST_SECRETS_KEY,
} from '../support/webhooks/startDelivering.ts'

/** So long that no request fails, and no claim ends, because the machine is busy. */
const TIMEOUT_MS = 10_000
const CLAIM_MS = 2_000
/** Longer than a claim, and than the pauses between two tries. */
const READ_ONLY_MS = 4_000
const SLOW_MS = 2_500
/** From the end of an outage to the first event at the receiver, and from the log to it from then on. */
const RECOVERY_MS = 15_000
/** Longer than a connection to Postgres may be silent, so that each one is lost. */
const PAUSED_MS = 21_000
const PATIENCE_MS = 60_000

const random = randomOf(7)
const chain = await useTestChain({ goesOn: true })
const life = await beginBusyLife(chain, random)

afterEach(killPrograms)

/** Mines until the log has more to say. */
async function somethingHappens(): Promise<void> {
  const before = await chain.client.getBlockNumber()
  const logs = () => chain.client.getLogs({ address: chain.contract, fromBlock: before + 1n })
  do await life.mine(3)
  while ((await logs()).length === 0)
}

/** Holds what deliverers write to, so that whoever writes waits within a transaction; `act` happens meanwhile. */
async function whileOneWaits(store: Store, act: () => void): Promise<void> {
  await store.transaction(async (db) => {
    await db.selectFrom('webhook_deliverers').selectAll().forUpdate().execute()
    const waiting = async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        db,
      )
      return rows.length
    }
    await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0)
    act()
  })
}

describe.skipIf(!postgresIsInstalled)('all webhooks arrive', () => {
  const postgres = usePostgres()

  /** An indexer and one deliverer over a store of their own, and an endpoint that hears all and takes its time. */
  async function beginRig(database?: string) {
    const url = database ?? (await postgres.createDatabase())
    const store = await openStore(url)
    const receiver = await new Receiver().start()
    receiver.manner = () => 'slow'
    // Only its management is used here: the deliverer is a program.
    const { webhooks, stop } = startDelivering(store)
    onTestFinished(async () => {
      await stop()
      await receiver.close()
      await store.close()
    })
    await webhooks.create('ada', listeningTo(receiver.url('/all')), anyChallenge)
    const environment = {
      ...environmentOf(chain, url),
      WEBHOOKS: 'true',
      SECRETS_KEY: TEST_SECRETS_KEY,
      WEBHOOKS_ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'warn',
    }
    const indexer = await startIndexer(environment, { leaseSeconds: 1.5 })
    const deliverer = runBundled(
      await useBundle('test/webhooks/deliverProgram.ts'),
      [String(CLAIM_MS), String(TIMEOUT_MS)],
      environment,
    )
    await Promise.all([indexer.says(/Remit indexes/), deliverer.says(/Remit delivers/)])
    return {
      store,
      deliverer,
      url,
      /** Sequences, in the order in which they came. */
      heard: () => receiver.at('/all').flatMap(({ sequence }) => sequence ?? []),
      /** How long after this time the first event came, in milliseconds. */
      heardAfter: (time: number) =>
        (receiver.at('/all').find(({ at }) => at >= time)?.at ?? Number.POSITIVE_INFINITY) - time,
      /** Lets something happen, and resolves while the endpoint is being told of it. */
      async isTelling() {
        const before = receiver.received.length
        await somethingHappens()
        await expect.poll(() => receiver.received.length, { interval: 10 }).toBeGreaterThan(before)
      },
      /** Lets something happen, and waits until the log has it and the endpoint has all of the log. */
      async goesOn({ withinMs = PATIENCE_MS } = {}) {
        await somethingHappens()
        await reachesHead(store, chain, PATIENCE_MS)
        const rows = await store.db.selectFrom('event_log').select('sequence').orderBy('sequence').execute()
        const told = () => new Set(receiver.at('/all').flatMap(({ sequence }) => sequence ?? []))
        await expect
          .poll(() => [...told()].toSorted((a, b) => a - b), { timeout: withinMs, interval: 200 })
          .toEqual(rows.map(({ sequence }) => sequence))
      },
    }
  }

  /**
   * Soon after the outage's end the first event comes, then all, then what is new soon; and nothing ever came twice.
   * @param onTheWay how many may have come twice: their answers were under way when the outage began
   */
  async function recovers(rig: Awaited<ReturnType<typeof beginRig>>, endedAt: number, onTheWay = 0) {
    await rig.goesOn()
    expect(rig.heardAfter(endedAt)).toBeLessThan(RECOVERY_MS)
    await rig.goesOn({ withinMs: RECOVERY_MS })
    // The receiver takes all.
    const heard = rig.heard()
    const twice = heard.filter((sequence, index) => heard.indexOf(sequence) < index)
    expect(twice.length, `${heard}`).toBeLessThanOrEqual(onTheWay)
  }

  // The failover below shows as much sooner: the server dies, and its standby takes no writes at first.
  const isNightly = trials({ short: 0, nightly: 1 }) > 0

  it.each(isNightly ? [5_000, 15_000, 60_000] : [])(
    'after Postgres was away for %d ms',
    async (awayMs) => {
      const rig = await beginRig()
      await rig.goesOn()
      await rig.isTelling()
      await postgres.kill()
      await somethingHappens()
      await sleep(awayMs)
      await postgres.restart()
      await recovers(rig, performance.now())
    },
    300_000,
  )

  it.each(isNightly ? ['took no writes, and a server that does took its place'] : [])(
    'after Postgres %s',
    async () => {
      const rig = await beginRig()
      await rig.goesOn()
      const admin = new pg.Client({ connectionString: new URL('/postgres', rig.url).href })
      await admin.connect()
      const set = async (value: string) => {
        await admin.query(`alter system set default_transaction_read_only = ${value}`)
        await admin.query('select pg_reload_conf()')
      }
      await rig.isTelling()
      await set('on')
      await somethingHappens()
      await sleep(READ_ONLY_MS)
      await set('off')
      const end = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
      await admin.query(end, [new URL(rig.url).pathname.slice(1)])
      await admin.end()
      await recovers(rig, performance.now())
    },
    300_000,
  )

  it('while each write to Postgres waits for others', async () => {
    const rig = await beginRig()
    await rig.goesOn()
    let isOver = false
    const slowing = (async () => {
      while (!isOver) {
        await rig.store.transaction(async (db) => {
          await sql`lock table webhook_endpoints in share row exclusive mode`.execute(db)
          await sleep(SLOW_MS)
        })
        await sleep(SLOW_MS / 10)
      }
    })()
    await rig.goesOn()
    isOver = true
    await slowing
    await recovers(rig, performance.now())
  }, 300_000)

  it('after the process that delivers was paused for twenty seconds', async () => {
    const rig = await beginRig()
    await rig.goesOn()
    await whileOneWaits(rig.store, () => rig.deliverer.process.kill('SIGSTOP'))
    await somethingHappens()
    await sleep(PAUSED_MS)
    rig.deliverer.process.kill('SIGCONT')
    await recovers(rig, performance.now(), 1)
  }, 300_000)

  describe('where a standby has each write before it is confirmed', () => {
    const primary = usePostgres()

    it('after it took the place of a server that died', async () => {
      const url = await primary.createDatabase()
      const standby = await primary.follow()
      await primary.confirmByReplicas()
      const proxy = await startSilentProxy(url)
      const rig = await beginRig(proxy.url)
      onTestFinished(() => proxy.close())
      await rig.goesOn()
      await rig.isTelling()
      await primary.kill()
      await somethingHappens()
      // Before it takes writes: what connects then goes on with it.
      proxy.turnTo(standby.of(url))
      await sleep(READ_ONLY_MS)
      await standby.promote()
      await recovers(rig, performance.now())
    }, 300_000)
  })
})
