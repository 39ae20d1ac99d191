/** A developer's key, without its hash. */
export interface ApiKey {
  readonly id: string
  /** Whose key it is: any text that the operator chose. */
  readonly subjectId: string
  readonly label: string | null
  /** The first characters of the key. */
  readonly prefix: string
  /** The account in which limits count its requests. A key shares it with those that it replaces. */
  readonly account: string
  /** Unix milliseconds, like the next three. */
  readonly createdAt: number
  /** When it was used last. It is written up to a minute late. */
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface NewKey {
  readonly subjectId: string
  readonly label: string | null
  /** Unix milliseconds. */
  readonly expiresAt: number | null
}

/** A key that was just made. Only now the whole key is known. */
export interface IssuedKey {
  readonly token: string
  readonly key: ApiKey
}

/** A key that replaces another one. */
export interface RotatedKey extends IssuedKey {
  /** The old key. It works until its `expiresAt`. */
  readonly replaced: ApiKey
}

export interface KeyQuery {
  /** `undefined`: everybody's. */
  readonly subjectId: string | undefined
  readonly first: number
  /** The nextCursor of the page before. */
  readonly after: string | undefined
}

export interface KeyPage {
  readonly keys: readonly ApiKey[]
  readonly nextCursor: string | null
}

/** Whose keys a request may manage. */
export interface KeyOwner {
  /** The only subject whose keys are seen, made and revoked. */
  readonly subject: string
  /** The caller's network address. */
  readonly address: string
}

/** Manages keys. Every method throws KeysUnavailableError while the key store is away. */
export interface KeysPort {
  /**
   * Makes a key. It takes over the account of a key that the subject no longer has, if there is one. Throws MaxKeysError where
   * the subject holds as many live keys as it may.
   */
  create(key: NewKey): Promise<IssuedKey>
  /**
   * Replaces a key by a new one with the same subject, label, end and account. The old key works for 24 more hours and does not
   * count as one of the subject's keys. Throws KeyNotFoundError, ValidationError for a key that is not live or was
   * rotated already, and MaxKeysError where the subject has too many replaced keys that still work.
   */
  rotate(id: string): Promise<RotatedKey>
  /** Newest first, revoked and expired ones too. Throws ValidationError for an invalid cursor. */
  list(query: KeyQuery): Promise<KeyPage>
  /** Throws KeyNotFoundError. */
  get(id: string): Promise<ApiKey>
  /** Changes the label; null takes it away. Throws KeyNotFoundError. */
  rename(id: string, label: string | null): Promise<ApiKey>
  /** Refuses the key from now on. Revoking it again changes nothing. Throws KeyNotFoundError. */
  revoke(id: string): Promise<ApiKey>
}
