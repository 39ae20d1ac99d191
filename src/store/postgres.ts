import { type Dialect, PostgresDialect } from 'kysely'
import pg from 'pg'

const MOST_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5_000
/** Our queries take far less than a second. If the database hangs, callers must not hang with it. */
const STATEMENT_TIMEOUT_MS = 15_000
/**
 * Between two queries of a transaction. A process that is paused there, or a machine that is lost, would keep what it has locked,
 * such as the lease of an index, for as long as its connection stands.
 */
const STANDSTILL_TIMEOUT_MS = 3_000

/** Reads bigint columns as numbers: block numbers, times and counts are all far below 2^53. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

export function postgresDialect(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STANDSTILL_TIMEOUT_MS,
    types,
  })
  // When the server ends an idle connection, the next query opens a new one. Without a listener for the error,
  // Node would end the process.
  pool.on('error', () => {})
  // A connection can also fail between two queries of a transaction. The error is ignored: the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
