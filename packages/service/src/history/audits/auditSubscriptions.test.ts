import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chains } from '@remit/engine/chain/Chains'
import type { HistoryQueries } from '@remit/engine/ports/history'
import { randomOf } from '@remit/testing/differential/random'
import { beginBusyLife } from '@remit/testing/support/chain/busyLife'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { environmentOf, reachesHead } from '@remit/testing/support/service/indexer'
import { sql, type Transaction } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../../configuration/loadConfig.ts'
import { createIndexing } from '../../processes/createIndexing.ts'
import { openStore } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import { findIndexState } from '../projection/indexTip.ts'
import { createQueries } from '../projection/queries/queries.ts'
import type { IndexState, ProjectionReader } from '../projection.ts'
import { auditSubscriptions } from './audits.ts'

const chain = await useTestChain({ goesOn: true })
const life = await beginBusyLife(chain, randomOf(7))
for (let block = 0; block < 20; block += 1) await life.mine(6)
const protocol = protocolOn(chain)
const plan = await protocol.create()
await protocol.join(plan, chain.wallets.alice)
await protocol.send(chain.wallets.alice, 'unsubscribe', [plan])

const folder = mkdtempSync(join(tmpdir(), 'remit-audit-'))
const config = loadConfig(environmentOf(chain, `file:${join(folder, 'store.db')}`))
const log = { info() {}, warn() {}, error() {} }
const store = await openStore(config.databaseUrl)
const chains = new Chains({ entries: config.chains, defaultChainId: chain.chainId, log })
chains.start()
const indexing = createIndexing({ config, chains, store, log })
await indexing.start()
await reachesHead(store, chain)
await indexing.stop()
afterAll(async () => {
  chains.stop()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

class RolledBack extends Error {}

/** What an audit finds in a projection that was damaged in this way. */
async function audit(
  damage: (db: Transaction<Tables>) => Promise<unknown>,
): Promise<string | null | undefined> {
  async function snapshot<Rows>(
    chainId: number,
    use: (queries: HistoryQueries, indexState: IndexState) => Promise<Rows>,
  ) {
    let answer: { rows: Rows; indexState: IndexState } | undefined
    const damaged = store.transaction(async (db) => {
      await damage(db)
      const indexState = await findIndexState(db, chainId)
      if (indexState === undefined) throw new Error('the chain is not indexed')
      answer = { rows: await use(createQueries(db, chainId, indexState), indexState), indexState }
      throw new RolledBack()
    })
    await damaged.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
    return answer
  }
  return auditSubscriptions({ chainId: chain.chainId, reader: { snapshot }, chains })(
    new AbortController().signal,
  )
}

it('finds nothing if the index is right', async () => {
  expect(await audit(async () => {})).toBeNull()
})

it.each([
  [
    'a cancellation that was never seen',
    'the terms of subscription',
    sql`update subscriptions set cancelled = 1 - cancelled`,
  ],
  ['an amount that is another', 'the terms of subscription', sql`update subscriptions set amount = '1'`],
  [
    'a subscriber who was never seen',
    'the subscribers of subscription',
    sql`delete from memberships where subscriber = (select min(subscriber) from memberships)`,
  ],
  [
    'one who left and is still there',
    'the subscribers of subscription',
    sql`update memberships set status = 0`,
  ],
  [
    'a creation that was never seen',
    'has created others',
    sql`delete from subscriptions where id = (select id from subscriptions order by created_block limit 1)`,
  ],
  [
    'a subscription that there is not',
    'there is no subscription',
    sql`update subscriptions set id = ${`0x${'ab'.repeat(32)}`} where id = (
      select id from subscriptions where cancelled = 0
      order by created_block desc, created_log_index desc limit 1)`,
  ],
])('finds %s', async (_, sentence, damage) => {
  expect(await audit((db) => damage.execute(db))).toContain(sentence)
})

it('runs every ten minutes', async () => {
  let nowMs = 0
  let snapshots = 0
  const reader: Pick<ProjectionReader, 'snapshot'> = {
    async snapshot() {
      snapshots += 1
      return undefined
    },
  }
  const look = auditSubscriptions({ chainId: chain.chainId, reader, chains, now: () => nowMs })
  for (nowMs = 0; nowMs < 1_200_000; nowMs += 30_000) await look(new AbortController().signal)
  expect(snapshots).toBe(2)
})
