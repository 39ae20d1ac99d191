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

/** Signed permits that members have left for their providers to carry. */
export interface RescuesTable {
  id: string
  chain_id: number
  owner: string
  token: string
  provider: string
  /** The allowance that it sets, in the token's smallest unit. */
  value: string
  /** 1 where it was signed as `allowed: true` and not by an amount. */
  is_allowed: number
  /** Unix seconds, by the chain's clock. */
  deadline: number
  nonce: string
  /** 1 where anybody may see and carry it. */
  is_public: number
  /** Sealed by SECRETS_KEY. */
  signature: string
  /** What its sender's network address is counted by. It is a keyed hash, and tells nobody the address. */
  sender: string
  /** Unix milliseconds. */
  created_at: number
  /** When it was last found to be one that the token takes, in unix milliseconds of the wall's clock. */
  checked_at: number
  /** The block that this was found at. */
  checked_block: number
}
