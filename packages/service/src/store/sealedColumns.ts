/** A column of secrets. The context of each (`SecretBox`) is its table and its row's id. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The column that says when a secret falls out of use, in unix milliseconds; missing where each stays in use. */
  readonly usedUntil?: string
}

/** Every column of the store that holds something sealed. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_service', column: 'private_key' },
  { table: 'webhook_endpoints', column: 'secret' },
  { table: 'webhook_endpoints', column: 'old_secret', usedUntil: 'old_secret_until' },
  { table: 'pass_keys', column: 'sealed_key', usedUntil: 'signs_until' },
  { table: 'rescues', column: 'signature' },
]
