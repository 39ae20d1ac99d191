import { postgresIsInstalled, usePostgres } from '@remit/testing/support/stores/postgres'
import { startSilentProxy } from '@remit/testing/support/stores/silentProxy'
import { Kysely, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
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

  it('take writes again once the database does, whatever was open meanwhile', async () => {
    const { db, crowd } = await open({})
    const setReadOnly = (to: 'on' | 'off') =>
      db.transaction().execute(async (transaction) => {
        await sql`set transaction read write`.execute(transaction)
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(transaction)
        const name = sql.id(rows[0]?.name ?? '')
        await sql`alter database ${name} set default_transaction_read_only = ${sql.raw(to)}`.execute(
          transaction,
        )
      })
    await sql`create table written (id integer)`.execute(db)
    const write = () => sql`insert into written values (1)`.execute(db)
    await setReadOnly('on')
    // Lets go of what was open before.
    await sql`set transaction read only; create table refused (id integer)`.execute(db).catch(() => {})
    await crowd()
    await expect(write()).rejects.toMatchObject({ code: '25006' })
    await crowd()
    await setReadOnly('off')
    // All sessions that are open were made while it was read-only. The first one is told, and the others need not be.
    await expect(write()).rejects.toMatchObject({ code: '25006' })
    await Promise.all(Array.from({ length: CROWD }, write))
    await db.destroy()
  })

  it('are not used again after a query has failed in them', async () => {
    const { db } = await open({})
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division by zero')
    const after = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    expect(after.rows).not.toEqual(rows)
    await db.destroy()
  })

  it('end after a while, though they are never idle', async () => {
    const { db } = await open({ lifetimeSeconds: 1 })
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
    const first = await pid()
    await expect.poll(pid, { interval: 20, timeout: 10_000 }).not.toBe(first)
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
