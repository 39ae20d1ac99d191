/** The store cannot be used. The message is for the operator and holds no URL. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** The store takes no writes, whatever is written; it may still be read. The message is for the operator. */
export class UnwritableError extends Error {
  override readonly name = 'UnwritableError'
  /** Such as "its disk is full". */
  readonly reason: string

  constructor(reason: string, cause: unknown) {
    super(`The store cannot be written: ${reason}.`, { cause })
    this.reason = reason
  }
}

/** `read_only_sql_transaction`: a standby, or a database that was set to take no writes. */
const READ_ONLY = '25006'

/** Why a store takes no writes, by how the error code of the database begins. */
const REASONS: Readonly<Record<string, string>> = {
  [READ_ONLY]: 'it is read-only',
  SQLITE_READONLY: 'it is read-only',
  // `disk_full`, for its files or its log.
  '53100': 'its disk is full',
  SQLITE_FULL: 'its disk is full',
}

/** Whether Postgres refuses a write because it is read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

/** Awaits a write. Rejects with UnwritableError in place of a database's error that says that the store takes no writes. */
export async function withUnwritableError<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    const code = codeOf(error)
    const found = Object.entries(REASONS).find(([beginning]) => code.startsWith(beginning))
    throw found === undefined ? error : new UnwritableError(found[1], error)
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
