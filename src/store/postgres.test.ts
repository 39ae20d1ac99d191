import { Kysely, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresIsInstalled, usePostgres } from '../../test/support/stores/postgres.ts'
import { startSilentProxy } from '../../test/support/stores/silentProxy.ts'
import { postgresDialect } from './postgres.ts'

const STATEMENT_TIMEOUT_MS = 500
const SILENCE_MS = 500
/** More than the pool has connections, so that some queries wait for one. */
const CROWD = 15

describe.skipIf(!postgresIsInstalled)('connections to Postgres', () => {
  const postgres = usePostgres()

  async function open(limits: Parameters<typeof postgresDialect>[1]) {
    const proxy = await startSilentProxy(await postgres.createDatabase())
    onTestFinished(() => proxy.close())
    const db = new Kysely<unknown>({ dialect: postgresDialect(proxy.url, limits) })
    const sleep = (seconds: number) => sql`select pg_sleep(${seconds})`.execute(db)
    const crowd = () => Promise.allSettled(Array.from({ length: CROWD }, () => sleep(0.01)))
    return { proxy, db, sleep, crowd }
  }

  const failures = (settled: PromiseSettledResult<unknown>[]) =>
    settled.filter(({ status }) => status === 'rejected').length

  it('are given up when their host has vanished, and new ones take their place', async () => {
    const { proxy, db, crowd } = await open({
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      silenceMs: SILENCE_MS,
    })
    expect(failures(await crowd())).toBe(0)
    proxy.silence()
    // Ten ask over a lost connection. The others have got a new one.
    expect(failures(await crowd())).toBe(10)
    expect(failures(await crowd())).toBe(0)
    await db.destroy()
  })

  it('are given up in the middle of a transaction, too', async () => {
    const { proxy, db, sleep } = await open({
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      silenceMs: SILENCE_MS,
    })
    const cut = db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      proxy.silence()
      await sql`select 1`.execute(transaction)
    })
    await expect(cut).rejects.toThrow()
    await sleep(0)
    await db.destroy()
  })

  it('wait for a statement that may take long', async () => {
    const { db, sleep } = await open({ statementTimeoutMs: 0, silenceMs: SILENCE_MS })
    await sleep(1.2)
    await db.destroy()
  })

  it('close within seconds while a query is open to a host that has vanished', async () => {
    const { proxy, db, sleep } = await open({})
    const asked = expect(sleep(60)).rejects.toThrow()
    const isRunning = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`.execute(db)
      return rows.length === 1
    }
    await expect.poll(isRunning).toBe(true)
    proxy.silence()
    await db.destroy()
    await asked
  }, 10_000)
})
