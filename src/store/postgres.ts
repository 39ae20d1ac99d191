import { type Dialect, PostgresDialect } from 'kysely'
import pg from 'pg'

const MOST_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5_000
/** No query of ours takes a second; a database that hangs must not hang every caller. */
const STATEMENT_TIMEOUT_MS = 15_000

/** Block numbers, times and counts: all of them far below 2^53. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

export function postgresDialect(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    types,
  })
  // An idle connection that the server ends is opened anew by the next query; unheard, it would end the process.
  pool.on('error', () => {})
  // The same of one that is in use, between two queries of a transaction: its next query fails by itself.
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
