import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@remit/service/testing/store/openStore'
import { afterAll, expect, it } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import { run, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { environmentOf, reachesHead, rowsFromScratch, startIndexer } from '../support/service/indexer.ts'

const chain = await useTestChain()
const life = await beginBusyLife(chain, randomOf(7))
for (let block = 0; block < 10; block += 1) await life.mine(5)
await chain.keep()

const indexer = await useBundle('packages/service/src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'remit-rebuild-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const environment = environmentOf(chain, `file:${join(folder, 'remit.db')}`)
const { chainId } = chain

it('reads a chain with wrong rows again, once no other process fills its index', async () => {
  const store = await openStore(environment.DATABASE_URL ?? '')
  const first = await startIndexer(environment)
  await reachesHead(store, chain)
  await store.transaction(async (db) => {
    await db.deleteFrom('events').where('log_index', '<', 3).execute()
    await db.updateTable('index_chains').set({ alarm: 'Logs were hidden.' }).execute()
  })
  const expected = await rowsFromScratch(chain, `file:${join(folder, 'scratch.db')}`)
  expect(await projectionRows(store, chainId)).not.toEqual(expected)

  const rebuild = () => runBundled(indexer, ['index', '--rebuild', String(chainId)], environment)
  const refused = rebuild()
  expect(await refused.ends()).toBe(1)
  expect(refused.output()).toContain(`Another process fills the index of chain ${chainId}: stop it first.`)

  first.process.kill('SIGTERM')
  expect(await first.ends()).toBe(0)
  const second = rebuild()
  await second.says(/Remit indexes/)
  await reachesHead(store, chain)
  expect(await projectionRows(store, chainId)).toEqual(expected)
  expect(await store.db.selectFrom('index_chains').select('alarm').execute()).toEqual([{ alarm: null }])
  second.process.kill('SIGTERM')
  expect(await second.ends()).toBe(0)
  await store.close()
})

it('names an invalid option', async () => {
  // As npm starts it.
  const refused = run('packages/service/src/main.ts', ['index', '--rebuild', 'base'], environment)
  expect(await refused.ends()).toBe(1)
  expect(refused.output().trim()).toBe('--rebuild must be the id of a chain, such as 8453.')
})
