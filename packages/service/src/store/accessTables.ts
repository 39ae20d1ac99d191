export interface ApiKeysTable {
  id: string
  subject_id: string
  label: string | null
  /** SHA-256 of the whole key, hex. The key itself is not stored. */
  hash: string
  /** The key's first characters, by which its owner recognises it. */
  prefix: string
  /** Unix milliseconds, like the next three. */
  created_at: number
  last_used_at: number | null
  expires_at: number | null
  revoked_at: number | null
  /** The id of the key that replaced it, if it was rotated. */
  replaced_by: string | null
  /** What its requests are counted in; null for its own id. */
  account: string | null
}

/** Who is signed in at the portal. Times are unix milliseconds. */
export interface SessionsTable {
  /** SHA-256 of the cookie's token and the page's secret, hex. Neither is stored. */
  hash: string
  /** The wallet's address, in lower case. */
  subject: string
  expires_at: number
  /** The chain whose contract confirmed the signature; 0 where the wallet's own key signed. */
  chain_id: number
  /** What that contract has confirmed: the hash of the message, and its signature. `null` where the key signed. */
  message_hash: `0x${string}` | null
  signature: `0x${string}` | null
}

/** Nonces that were given out and not used yet. */
export interface SignInNoncesTable {
  nonce: string
  expires_at: number
}

/** The keys that sign passes. */
export interface PassKeysTable {
  id: string
  /** The `x` of its JWK. */
  public_key: string
  /** The private key in PKCS #8, sealed by SECRETS_KEY. */
  sealed_key: string
  /** Unix milliseconds, like the next. */
  signs_from: number
  signs_until: number
}
