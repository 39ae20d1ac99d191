import { RemitError, type RemitErrorDetails } from './RemitError.ts'

/** The API key, admin secret, Basic Auth or session is not a live one, or is missing; or a sign-in failed. */
export class UnauthorizedError extends RemitError {}

/** The origin is not allowed, key management, the portal or passes are switched off, or a membership has ended. */
export class ForbiddenError extends RemitError {}

/** A limit of the caller's lane is reached; nothing was done. */
export class RateLimitedError extends RemitError {
  /** The limit that takes longest to wait for, such as "writeRpm". */
  readonly bucket: string
  readonly lane: string
  readonly limit: number | undefined
  /** How to get higher limits; `null` where there is no higher lane. */
  readonly upgradeHint: string | null

  constructor(message: string, details: RemitErrorDetails) {
    super(message, details)
    const { bucket, lane, limit, upgradeHint } = details.facts
    this.bucket = typeof bucket === 'string' ? bucket : 'unknown'
    this.lane = typeof lane === 'string' ? lane : 'unknown'
    this.limit = typeof limit === 'number' ? limit : undefined
    this.upgradeHint = typeof upgradeHint === 'string' ? upgradeHint : null
  }
}
