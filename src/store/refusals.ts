import { UnwritableError } from './StoreError.ts'

/** `read_only_sql_transaction`: a standby, or a database that was set to take no writes. */
const READ_ONLY = '25006'

/** Beginnings of the databases' codes. */
const REASONS: Readonly<Record<string, string>> = {
  [READ_ONLY]: 'it is read-only',
  SQLITE_READONLY: 'it is read-only',
  // `disk_full`, for its files or its log.
  '53100': 'its disk is full',
  SQLITE_FULL: 'its disk is full',
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

/** What the write of `write` rejects with; UnwritableError in place of an error that says that the store takes no writes. */
export async function naming<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    const code = codeOf(error)
    const found = Object.entries(REASONS).find(([beginning]) => code.startsWith(beginning))
    throw found === undefined ? error : new UnwritableError(found[1], error)
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
