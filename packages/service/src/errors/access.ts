import { errorOf } from '@remit/engine/errors/base'

// Errors about who calls and what a caller may spend. `errorOf` takes the status, the code and, for the documents, when it happens.

const BEARER = 'Bearer realm="Remit"'

/** Refuses credentials. The caller does not learn what was wrong with a key; the log says it. */
export class UnauthorizedError extends errorOf(401, 'UNAUTHORIZED', 'the credentials are not live ones') {
  /** For every key that is not live. */
  static key(): UnauthorizedError {
    return new UnauthorizedError(
      'This API key is not a live one. Send a whole key (svc_…) that is neither revoked nor expired, or none at all for the free lane.',
      { headers: { 'WWW-Authenticate': `${BEARER}, error="invalid_token"` } },
    )
  }

  /** For routes that a developer's key opens. */
  static keyNeeded(): UnauthorizedError {
    return new UnauthorizedError(
      'This needs a developer’s key: send it as Authorization: Bearer, or as X-API-Key.',
      { headers: { 'WWW-Authenticate': BEARER } },
    )
  }

  /** @param given whether any secret was sent: RFC 6750 names an error only then */
  static admin(given: boolean): UnauthorizedError {
    return new UnauthorizedError(
      'Keys are managed with the admin secret: send it as Authorization: Bearer, or as X-Service-Admin-Key.',
      { headers: { 'WWW-Authenticate': given ? `${BEARER}, error="invalid_token"` : BEARER } },
    )
  }

  /** For what only a wallet that has signed in may do, where there is no session, or one that has ended. */
  static session(): UnauthorizedError {
    return new UnauthorizedError(
      'Nobody is signed in: sign in with your wallet first. The session ends by itself after some time.',
    )
  }

  /** For a wallet that is a contract, and signed in on another chain. */
  static sessionElsewhere(chainId: number): UnauthorizedError {
    return new UnauthorizedError(
      `This wallet is a contract, and signed in on chain ${chainId}. Sign in on the chain that this is about.`,
    )
  }

  /** For a contract that no longer confirms what its session rests on. */
  static contractChanged(): UnauthorizedError {
    return new UnauthorizedError(
      'Your wallet is a contract, and no longer confirms the sign-in of this session: its owners may have changed. The session has ended: sign in again.',
    )
  }

  /** For a service that asks for Basic Auth on every route. */
  static basic(): UnauthorizedError {
    return new UnauthorizedError(
      'This service asks for HTTP Basic Auth; an API key goes beside it, in X-API-Key.',
      { headers: { 'WWW-Authenticate': 'Basic realm="Remit", charset="UTF-8"' } },
    )
  }
}

export class DeveloperKeysDisabledError extends errorOf(
  403,
  'DEVELOPER_KEYS_DISABLED',
  'the operator has switched developer keys off',
) {
  constructor() {
    super('Developer keys are switched off by the operator of this service.')
  }
}

export class AdminNotConfiguredError extends errorOf(
  503,
  'ADMIN_NOT_CONFIGURED',
  'no admin secret of at least 16 characters is set',
) {
  constructor() {
    super(
      'Keys cannot be managed over HTTP: the operator has set no DEVELOPER_KEYS_ADMIN_SECRET of at least 16 characters.',
    )
  }
}

export class KeyNotFoundError extends errorOf(404, 'NOT_FOUND', 'there is no such key') {
  constructor(id: string) {
    super(`There is no key ${id}; GET /developer/keys lists them.`)
  }
}

export class MaxKeysError extends errorOf(409, 'MAX_KEYS', 'the subject holds as many live keys as it may') {
  constructor(maxKeysPerSubject: number) {
    super(
      `This subject already has ${maxKeysPerSubject} live keys, the maximum. Revoke one before making another.`,
      { facts: { maxKeysPerSubject } },
    )
  }
}

export class KeysUnavailableError extends errorOf(
  503,
  'KEYS_UNAVAILABLE',
  'the key store is away, or takes no writes',
) {
  /** The store does not answer. */
  static away(cause: unknown): KeysUnavailableError {
    return new KeysUnavailableError(
      'Keys, sessions, webhooks and passes cannot be read right now: whether a key is live is not known. Send the request again.',
      { cause, retryAfterSeconds: 1 },
    )
  }

  /** @param reason such as "its disk is full" */
  static unwritable(reason: string, cause: unknown): KeysUnavailableError {
    return new KeysUnavailableError(
      `Keys, sessions, webhooks and passes cannot be written right now: the store says that ${reason}. Nothing was changed.`,
      { cause, retryAfterSeconds: 60 },
    )
  }
}

export class ForbiddenError extends errorOf(
  403,
  'FORBIDDEN',
  'the Host or the Origin is not allowed, or a page embeds what is only opened',
) {}

/** Nobody can sign in here, or this wallet may not have keys. */
export class PortalClosedError extends errorOf(
  403,
  'PORTAL_CLOSED',
  'the operator has not opened the portal, or not to this wallet',
) {
  static off(): PortalClosedError {
    return new PortalClosedError(
      'Nobody can sign in at this service: its operator has not opened the portal.',
    )
  }

  static notListed(): PortalClosedError {
    return new PortalClosedError(
      'Keys are only for wallets that the operator of this service has listed, and this one is not listed.',
    )
  }

  /** @param keysChainId where contracts manage keys and webhooks */
  static contractElsewhere(chainId: number, keysChainId: number): PortalClosedError {
    return new PortalClosedError(
      `This wallet is a contract, and signed in on chain ${chainId}. Contracts manage keys and webhooks on chain ${keysChainId} alone, because on another chain the same address may be somebody else’s: sign in there.`,
    )
  }
}

export class SignInFailedError extends errorOf(
  401,
  'SIGN_IN_FAILED',
  'the signed message does not fit this service, is out of date, was used before, or is not signed by its wallet',
) {
  constructor(why: string) {
    super(`The sign-in failed: ${why}. Ask for a new nonce and sign again.`)
  }
}

export class PassesOffError extends errorOf(403, 'PASSES_OFF', 'the operator has not switched passes on') {
  constructor() {
    super('This service issues no passes: its operator has not switched them on.')
  }
}

/** The state of one limit, for the RateLimit headers. */
export interface Quota {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until one more unit is free, rounded up; for a daily limit, until the UTC day ends. */
  readonly resetSeconds: number
}

/** What a caller at a limit is told. All but `quotas` are fields of the error's answer. */
export interface Refusal {
  readonly lane: string
  /** The limit with the longest wait. */
  readonly bucket: string
  readonly limit: number
  /** After this time the same request is admitted, unless other requests used the units meanwhile. */
  readonly retryAfterSeconds: number
  /** `null` where there is no higher lane. */
  readonly upgradeHint: string | null
  /** The state of each limit that the request would have taken from. */
  readonly quotas: readonly Quota[]
}

export class RateLimitedError extends errorOf(429, 'RATE_LIMITED', 'a limit of the lane is reached') {
  /** The name of the limit that is reached: of several, the one with the longest wait. */
  readonly bucket: string
  readonly quotas: readonly Quota[]
  readonly retryAfterSeconds: number

  constructor({ quotas, ...facts }: Refusal) {
    const { lane, bucket, limit, retryAfterSeconds } = facts
    super(
      `The limit ${bucket} of the ${lane} lane is reached (${limit}): wait ${retryAfterSeconds} s and send it again.`,
      { facts, retryAfterSeconds },
    )
    this.bucket = bucket
    this.quotas = quotas
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export class LimiterUnavailableError extends errorOf(
  503,
  'LIMITER_UNAVAILABLE',
  'the counters of the limits have been away for longer than the grace',
) {
  constructor() {
    super(
      'The service cannot count requests now, so it admits none; nothing was done. Send it again later.',
      { retryAfterSeconds: 5 },
    )
  }
}
