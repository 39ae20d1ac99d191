/** A developer's key, without what it is recognised by. */
export interface ApiKey {
  readonly id: string
  /** Whose key it is, in the words of whoever manages keys. */
  readonly subjectId: string
  readonly label: string | null
  /** The first characters of the key. */
  readonly prefix: string
  /** Unix milliseconds, like the next three. */
  readonly createdAt: number
  /** Up to a minute late. */
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

/** A key that was just made: the only moment at which the whole of it is known. */
export interface IssuedKey {
  readonly token: string
  readonly key: ApiKey
}

/** A key in the place of another one. */
export interface RotatedKey extends IssuedKey {
  /** Works on until its `expiresAt`. */
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

/** Where keys are managed. Every method throws KeysUnavailableError where the key store is away. */
export interface KeysPort {
  /** Throws MaxKeysError where the subject holds as many live keys as it may. */
  create(key: NewKey): Promise<IssuedKey>
  /**
   * Makes a key in the place of one, with its subject, label and end; the old one works for 24 hours more and does not
   * count against the subject's keys. Throws KeyNotFoundError, ValidationError for a key that is not live or was
   * rotated already, and MaxKeysError where a subject lets as many old ones run out as it may have keys.
   */
  rotate(id: string): Promise<RotatedKey>
  /** Newest first, revoked and expired ones too. Throws ValidationError for a cursor that is none. */
  list(query: KeyQuery): Promise<KeyPage>
  /** Throws KeyNotFoundError. */
  get(id: string): Promise<ApiKey>
  /** Refuses the key from now on; of a key that is revoked already it changes nothing. Throws KeyNotFoundError. */
  revoke(id: string): Promise<ApiKey>
}
