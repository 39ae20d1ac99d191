import { Socket } from 'node:net'
import {
  type Dialect,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { isReadOnly } from './StoreError.ts'

/** Of each process. By default a Postgres takes 100 in all. */
const MOST_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5_000
/** Our queries take far less than a second. If the database hangs, callers must not hang with it. */
const STATEMENT_TIMEOUT_MS = 15_000
/**
 * How much longer than a statement a connection may be silent. The server ends a statement itself; if it does not, its host has
 * vanished or the network has lost the connection, and the kernel would wait for a quarter of an hour.
 */
const SILENCE_BEYOND_STATEMENT_MS = 5_000
/** How long a closing pool waits for statements that still run. */
const CLOSE_TIMEOUT_MS = 5_000
/**
 * How long a transaction may pause between two queries. A paused process or a lost machine would otherwise keep its locks,
 * such as a lease.
 */
const STANDSTILL_TIMEOUT_MS = 3_000

/** The longest life of a session. After a failover, older sessions stay with the former primary, where reads do not fail. */
const MOST_LIFETIME_SECONDS = 300

/** Reads bigint columns as numbers: block numbers, times and counts are all far below 2^53. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** How Kysely reaches a Postgres. @param options.statementTimeoutMs how long one statement may take; 0 for as long as it needs */
export function postgresDialect(
  url: string,
  {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    silenceMs = SILENCE_BEYOND_STATEMENT_MS,
    lifetimeSeconds = MOST_LIFETIME_SECONDS,
  } = {},
): Dialect {
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    maxLifetimeSeconds: lifetimeSeconds,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: STANDSTILL_TIMEOUT_MS,
    types,
    stream() {
      const socket = new Socket()
      // The pool closes an idle connection after 10 s, so only one with an open statement is silent for that long. The pool
      // drops a connection that fails, but not one whose query was only given up (`query_timeout`).
      if (statementTimeoutMs > 0) socket.setTimeout(statementTimeoutMs + silenceMs)
      socket.on('timeout', () => socket.destroy(new Error('Postgres was silent for too long')))
      socket.on('close', () => sockets.delete(socket))
      sockets.add(socket)
      return socket
    },
  })
  // When the server ends an idle connection, the next query opens a new one. Without a listener for the error,
  // Node would end the process.
  pool.on('error', () => {})
  // A connection can also fail between two queries of a transaction. The error is ignored: the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  const end = async () => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy(new Error('The store is closed'))
    }, CLOSE_TIMEOUT_MS)
    await pool.end().finally(() => clearTimeout(cut))
  }
  return new PostgresDialect({ pool: { connect: usableSessions(pool), end } })
}

/**
 * Lends sessions of the pool. A session in which a query failed is closed, because its transaction may still be open. Once the
 * server says that it is read-only, all older sessions are closed: they lead to the same server, or keep its former default.
 */
function usableSessions(pool: pg.Pool): () => Promise<PostgresPoolClient> {
  // The number of times that the server has become read-only. Sessions of an earlier generation are closed.
  let generation = 0
  const generations = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => generations.set(client, generation))
  return async () => {
    for (;;) {
      const client = await pool.connect()
      if (generations.get(client) === generation) {
        return new Session(client, (error) => {
          if (isReadOnly(error) && generations.get(client) === generation) generation += 1
        })
      }
      client.release(true)
    }
  }
}

/** A session that is lent, and whether a query has failed in it. */
class Session implements PostgresPoolClient {
  readonly #client: PostgresPoolClient
  readonly #giveBack: (hasFailed: boolean) => void
  readonly #onFailure: (error: unknown) => void
  #hasFailed = false

  constructor(client: pg.PoolClient, onFailure: (error: unknown) => void) {
    this.#client = client
    this.#giveBack = (hasFailed) => client.release(hasFailed)
    this.#onFailure = onFailure
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(asked: string | PostgresCursor<R>, parameters: readonly unknown[] = []) {
    if (typeof asked !== 'string') return this.#client.query(asked)
    return this.#client.query<R>(asked, parameters).catch((error: unknown) => {
      this.#hasFailed = true
      this.#onFailure(error)
      throw error
    })
  }

  release(): void {
    this.#giveBack(this.#hasFailed)
  }
}
