import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { findProgram, serverAccount } from '../programs/installed.ts'
import { freePort } from '../service/freePort.ts'

const DEBIAN = '/usr/lib/postgresql'

const program = findProgram('postgres', debianFolders())

/** Distributions bring it in the same package. */
const baseBackup = findProgram('pg_basebackup', debianFolders())

/** For `describe.skipIf(!postgresIsInstalled)`. */
export const postgresIsInstalled = program !== undefined

/** The folder of `pg_dump` and the like. */
export const postgresPrograms = program === undefined ? '' : dirname(program)

export interface Postgres {
  /** Makes an empty database of its own and returns its URL. */
  createDatabase(): Promise<string>
  /** Stops the server at once, as a crash does: without goodbyes. */
  kill(): Promise<void>
  /** Starts it again, on the same port and with what it had kept. */
  restart(): Promise<void>
  /** A replica that follows this server and takes no writes. Gone when the file ends. */
  follow(): Promise<Replica>
  /** From now on a write is confirmed once a replica has it, too. */
  confirmByReplicas(): Promise<void>
}

export interface Replica {
  /** The URL of the same database there. */
  of(url: string): string
  /** Resolves once it has all that the server has written until now. */
  caughtUp(): Promise<void>
  /** From now on it takes writes, and follows no more. */
  promote(): Promise<void>
}

/** A Postgres server of this test file's own, from the installed package, gone when the file ends. */
export function usePostgres(): Postgres {
  let server: RunningServer | undefined
  const replicas: RunningServer[] = []
  let databases = 0
  const running = () => {
    if (server === undefined) throw new Error('Postgres runs only while tests do')
    return server
  }
  beforeAll(async () => {
    if (program !== undefined) server = await startPostgres(program, inject('runFolder'))
  })
  afterAll(async () => {
    for (const one of server === undefined ? replicas : [...replicas, server]) {
      await one.stop('SIGQUIT')
      rmSync(one.folder, { recursive: true, force: true })
    }
  })
  return {
    async createDatabase() {
      databases += 1
      const name = `test_${databases}`
      const client = new pg.Client({ connectionString: running().url('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return running().url(name)
    },
    kill: () => running().stop('SIGQUIT'),
    restart: () => running().start(),
    async follow() {
      const primary = running().url('postgres')
      const replica = await startReplica(primary)
      replicas.push(replica)
      return {
        of(url) {
          const there = new URL(replica.url('postgres'))
          there.pathname = new URL(url).pathname
          return there.href
        },
        async caughtUp() {
          const place = await ask(primary, 'select pg_current_wal_lsn() as answer')
          const isThere = `select pg_last_wal_replay_lsn() >= '${place}' as answer`
          const deadline = Date.now() + 20_000
          while ((await ask(replica.url('postgres'), isThere)) !== true) {
            if (Date.now() > deadline) throw new Error('The replica never caught up')
            await new Promise((resolve) => setTimeout(resolve, 30))
          }
        },
        async promote() {
          await ask(replica.url('postgres'), 'select pg_promote() as answer')
        },
      }
    },
    async confirmByReplicas() {
      const url = running().url('postgres')
      await ask(url, "alter system set synchronous_standby_names = '*'")
      await ask(url, 'select pg_reload_conf() as answer')
    },
  }
}

/** For what is no test file: whoever starts it stops it and removes its folder. `undefined` where it is not installed. */
export async function startInstalledPostgres(): Promise<RunningServer | undefined> {
  return program === undefined ? undefined : startPostgres(program)
}

export interface RunningServer {
  readonly folder: string
  url(database: string): string
  start(): Promise<void>
  stop(signal: NodeJS.Signals): Promise<void>
}

/** @param kept a folder in which an empty cluster is kept: to copy one takes a tenth of the time that initdb takes */
async function startPostgres(postgres: string, kept?: string): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-postgres-'))
  const account = serverAccount('postgres')
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const options = { ...account, stdio: 'ignore', cwd: folder } as const
  const empty = kept === undefined ? undefined : join(kept, 'cluster')
  if (empty !== undefined && existsSync(empty)) execFileSync('cp', ['-R', empty, data], options)
  else {
    execFileSync(
      join(dirname(postgres), 'initdb'),
      ['-D', data, '-U', 'remit', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
      options,
    )
    if (kept !== undefined) keepCluster(data, kept)
  }
  return run(postgres, folder)
}

async function startReplica(primaryUrl: string): Promise<RunningServer> {
  if (program === undefined || baseBackup === undefined) throw new Error('pg_basebackup is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'remit-replica-'))
  const account = serverAccount('postgres')
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const args = ['-d', primaryUrl, '-D', join(folder, 'data'), '-R', '-c', 'fast', '--no-sync']
  execFileSync(baseBackup, args, { ...account, stdio: 'ignore', cwd: folder })
  return run(program, folder)
}

/** Starts the server whose files are in the folder's `data`. */
async function run(postgres: string, folder: string): Promise<RunningServer> {
  const account = serverAccount('postgres')
  const options = { ...account, stdio: 'ignore', cwd: folder } as const
  const data = join(folder, 'data')
  const port = await freePort()
  const flags = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
  const url = (database: string) => `postgres://remit@127.0.0.1:${port}/${database}`
  let child: ChildProcess | undefined
  const server: RunningServer = {
    folder,
    url,
    async start() {
      child = spawn(postgres, ['-D', data, ...flags], options)
      await answers(url('postgres'))
    },
    async stop(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
  }
  await server.start()
  return server
}

/** Copies it before a server has touched it, and so that others find a whole one only. */
function keepCluster(data: string, kept: string): void {
  const copy = mkdtempSync(join(kept, 'copy-'))
  // As root: it keeps the account that the files belong to.
  execFileSync('cp', ['-a', data, join(copy, 'cluster')])
  try {
    renameSync(join(copy, 'cluster'), join(kept, 'cluster'))
  } catch (error) {
    // Another worker kept one at the same time.
    if (!existsSync(join(kept, 'cluster'))) throw error
  }
}

async function ask(url: string, query: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(query)
  await client.end()
  return rows[0]?.answer
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
}

/** Debian keeps the server out of PATH, in a folder for each version. */
function debianFolders(): string[] {
  try {
    return readdirSync(DEBIAN)
      .sort()
      .reverse()
      .map((version) => join(DEBIAN, version, 'bin'))
  } catch {
    return []
  }
}
