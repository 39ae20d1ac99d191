import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { HistoryQueries } from '../src/core/ports/history.ts'
import { createProjection } from '../src/history/projection/createProjection.ts'
import type { Store } from '../src/store/openStore.ts'
import { openStore } from '../src/store/openStore.ts'
import { ManyLogs } from '../test/support/history/ManyLogs.ts'
import { startInstalledPostgres } from '../test/support/stores/postgres.ts'
import { listQueries, searchQueries } from './indexQueries.ts'
import { median, table } from './print.ts'

// An index of a million SubLogs in SQLite and in Postgres: how fast it is written, how large it is, and whether any
// query takes longer than with ten thousand. The queries of both run in turns.

const [SMALL, LARGE] = [10_000, Number(process.argv[2] ?? 1_000_000)]
const LOGS_PER_STEP = 5_000
const ROUNDS = 40
const CHAIN = 1
const LEASE_MS = 600_000

interface Filled {
  readonly store: Store
  readonly logs: ManyLogs
  readonly rowsPerSecond: number
  /** In processor time of this process, so that other work on the machine does not count. */
  readonly rowsPerCpuSecond: number
  readonly rssMegabytes: number
}

async function fill(url: string, size: number): Promise<Filled> {
  const store = await openStore(url)
  const projection = createProjection(store)
  const logs = new ManyLogs(size)
  const { genesisHash, contract, origin } = logs
  const identity = { chainId: CHAIN, genesisHash, contract, firstBlock: origin.number + 1 }
  const lease = await projection.take(identity, 'rpc', async () => origin, 'bench', LEASE_MS)
  if (lease === undefined) throw new Error('somebody else holds the lease')
  let written = 0
  let ms = 0
  let cpuMs = 0
  let rss = 0
  for (const { step, terms } of logs.steps(LOGS_PER_STEP)) {
    const begun = performance.now()
    const cpu = process.cpuUsage()
    await projection.apply(lease, step.ancestor, step, { terms, payments: [] }, LEASE_MS)
    ms += performance.now() - begun
    const { user, system } = process.cpuUsage(cpu)
    cpuMs += (user + system) / 1_000
    written += step.events.length
    rss = Math.max(rss, process.memoryUsage.rss())
    // Lets other work run, as between two steps of a source: the driver then frees its statements.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    store,
    logs,
    rowsPerSecond: (1_000 * written) / ms,
    rowsPerCpuSecond: (1_000 * written) / cpuMs,
    rssMegabytes: rss / 1e6,
  }
}

/** Milliseconds for a snapshot with one query, as an answer makes it. */
async function timed(
  { store, logs }: Filled,
  query: (queries: HistoryQueries, logs: ManyLogs, round: number) => Promise<unknown>,
  round: number,
): Promise<number> {
  const begun = performance.now()
  await createProjection(store).snapshot(CHAIN, (queries) => query(queries, logs, round))
  return performance.now() - begun
}

async function measure(name: string, small: Filled, large: Filled, megabytes: number): Promise<void> {
  process.stdout.write(
    `${name}: ${Math.round(large.rowsPerSecond).toLocaleString('en')} rows a second ` +
      `(${Math.round(large.rowsPerCpuSecond).toLocaleString('en')} a second of this process's own), ` +
      `${Math.round(megabytes)} MB on disk, at most ${Math.round(large.rssMegabytes)} MB of memory ` +
      `(${LARGE.toLocaleString('en')} SubLogs in steps of ${LOGS_PER_STEP.toLocaleString('en')}, ` +
      `with details and profiles beside every tenth)\n\n`,
  )
  const rows: string[][] = []
  for (const { name, query } of [...listQueries, ...searchQueries]) {
    const times = { small: [] as number[], large: [] as number[] }
    for (let round = 0; round < ROUNDS; round += 1) {
      times.small.push(await timed(small, query, round))
      times.large.push(await timed(large, query, round))
    }
    const [few, many] = [median(times.small), median(times.large)]
    rows.push([name, few.toFixed(2), many.toFixed(2), `× ${(many / few).toFixed(1)}`])
  }
  const heads = [
    'query',
    `ms at ${SMALL.toLocaleString('en')}`,
    `ms at ${LARGE.toLocaleString('en')}`,
    'ratio',
  ]
  process.stdout.write(`${table(heads, rows)}\n\n`)
}

async function sqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
  try {
    const small = await fill(`file:${join(folder, 'small.db')}`, SMALL)
    const large = await fill(`file:${join(folder, 'large.db')}`, LARGE)
    const files = ['large.db', 'large.db-wal'].map((file) => statSync(join(folder, file)).size)
    await measure('SQLite', small, large, files.reduce((sum, size) => sum + size, 0) / 1e6)
    await small.store.close()
    await large.store.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function postgres(): Promise<void> {
  const server = await startInstalledPostgres()
  if (server === undefined) {
    process.stdout.write('Postgres is not installed: it is left out.\n')
    return
  }
  try {
    const [small, large] = [
      await fillDatabase(server, 'small', SMALL),
      await fillDatabase(server, 'large', LARGE),
    ]
    const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
    const { rows } = await size.execute(large.store.db)
    await measure('Postgres (fsync off)', small, large, (rows[0]?.bytes ?? 0) / 1e6)
    await small.store.close()
    await large.store.close()
  } finally {
    await server.stop('SIGQUIT')
    rmSync(server.folder, { recursive: true, force: true })
  }
}

async function fillDatabase(
  server: { url(database: string): string },
  name: string,
  size: number,
): Promise<Filled> {
  const admin = await openStore(server.url('postgres'))
  await sql`create database ${sql.ref(name)}`.execute(admin.db)
  await admin.close()
  const filled = await fill(server.url(name), size)
  // A running server does this by itself within a minute.
  await sql`vacuum analyze`.execute(filled.store.db)
  return filled
}

await sqlite()
await postgres()
