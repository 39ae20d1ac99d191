import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@remit/service/testing/store/openStore'
import { openStore } from '@remit/service/testing/store/openStore'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import type { Program } from '../support/programs/program.ts'
import {
  environmentOf,
  fills,
  reachesHead,
  rowsFromScratch,
  standsAt,
  startIndexer,
} from '../support/service/indexer.ts'
import { startTestService, type TestService } from '../support/service/testService.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'

const chain = await useTestChain()
const life = await beginBusyLife(chain, randomOf(20_260_302))
for (let block = 0; block < 10; block += 1) await life.mine(5)
await chain.keep()

const folder = mkdtempSync(join(tmpdir(), 'remit-processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const sqliteUrl = async () => `file:${join(folder, `${++files}.db`)}`

const stores: Store[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function open(url: string): Promise<Store> {
  const store = await openStore(url)
  stores.push(store)
  return store
}

describe('two indexers of one database', () => {
  describe('in SQLite', () => suite(sqliteUrl))
  describe.skipIf(!postgresIsInstalled)('in Postgres', () => {
    const postgres = usePostgres()
    suite(() => postgres.createDatabase())
  })
})

async function becomes(service: TestService, status: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while ((await service.get('/status')).body.status !== status) {
    if (performance.now() > deadline) throw new Error(`the status never became ${status}`)
    await sleep(50)
  }
}

/** Stops a process between two writes: nothing takes the lock of SQLite's file from one that is stopped in a write. */
async function pause({ process }: Program, store: Store): Promise<void> {
  for (;;) {
    process.kill('SIGSTOP')
    await sleep(20)
    if (await store.transaction(async () => true).catch(() => false)) return
    process.kill('SIGCONT')
    await sleep(20)
  }
}

function suite(createUrl: () => Promise<string>) {
  it('never both write: one that was paused beyond its lease stands by when it wakes', async () => {
    const url = await createUrl()
    const environment = environmentOf(chain, url)
    const store = await open(url)
    const first = await startIndexer(environment)
    await fills(first, store)
    await reachesHead(store, chain)
    const second = await startIndexer(environment)
    await second.says(/Remit indexes/)

    await pause(first, store)
    await life.mine(4)
    const begun = performance.now()
    await reachesHead(store, chain)
    expect(performance.now() - begun).toBeLessThan(5_000)
    await life.mine(4)
    first.process.kill('SIGCONT')
    await first.says(/another process fills the index now/)
    await life.mine(4)
    await reachesHead(store, chain)
    expect(second.output()).not.toContain('another process fills')

    second.process.kill('SIGKILL')
    await life.mine(4)
    await reachesHead(store, chain)
    first.process.kill('SIGTERM')
    expect(await first.ends()).toBe(0)
    const expected = await rowsFromScratch(chain, await createUrl())
    expect(await projectionRows(store, chain.chainId)).toEqual(expected)
  }, 60_000)

  it('hand over at once when one is shut down in order, however long its lease is', async () => {
    const url = await createUrl()
    const environment = environmentOf(chain, url)
    const store = await open(url)
    const options = { leaseSeconds: 600 }
    const first = await startIndexer(environment, options)
    await fills(first, store)
    const second = await startIndexer(environment, options)
    await second.says(/Remit indexes/)
    first.process.kill('SIGTERM')
    expect(await first.ends()).toBe(0)
    const begun = performance.now()
    await fills(second, store)
    expect(performance.now() - begun).toBeLessThan(2_000)
  }, 60_000)
}

describe.skipIf(!postgresIsInstalled)('a Postgres that ends and comes back', () => {
  const postgres = usePostgres()

  it('is waited for and logged once, and answers say meanwhile that the index is missing', async () => {
    const url = await postgres.createDatabase()
    const store = await open(url)
    const indexer = await startIndexer(environmentOf(chain, url))
    await fills(indexer, store)
    await reachesHead(store, chain)
    const reader = await startTestService([chain], { DATABASE_URL: url, INDEXER: 'false' })
    const path = `/accounts/${chain.wallets.alice}/activity`
    expect((await reader.get(path)).body).toMatchObject({ index: { synced: true } })
    const stood = await standsAt(store, chain.chainId)

    await postgres.kill()
    await life.mine(4)
    await indexer.says(/the index fails; trying again/)
    const lacking = await reader.get(path)
    expect(lacking.status).toBe(200)
    expect(lacking.body).toMatchObject({
      events: [],
      index: null,
      error: expect.stringContaining('try again'),
    })
    expect((await reader.get('/subscriptions')).body).toMatchObject({ code: 'INDEX_UNAVAILABLE' })
    await becomes(reader, 'degraded')

    await postgres.restart()
    await indexer.says(/the index works again/)
    await reachesHead(store, chain)
    await becomes(reader, 'ok')
    const { body } = await reader.get(`${path}?minBlock=${stood + 1}`)
    expect(body).toMatchObject({ index: { synced: true } })
    await reader.close()
    expect(await standsAt(store, chain.chainId)).toBe(stood + 1)
    expect(indexer.output().match(/the index fails/g)).toHaveLength(1)
    expect(indexer.output()).not.toContain('postgres://')
    const expected = await rowsFromScratch(chain, await postgres.createDatabase())
    expect(await projectionRows(store, chain.chainId)).toEqual(expected)
  }, 60_000)
})
