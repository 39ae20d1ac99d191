/**
 * The errors of a call. RemitError and its classes are what the service answered: `toError.ts` makes them from the answer's code. The
 * others are this client's own: no answer came (NetworkError, TimeoutError), something else answered (UnexpectedAnswerError), or a node
 * was asked what only a service answers (NeedsServiceError).
 */

import { isRecord } from '../call/isRecord.ts'
import type { Issue } from '../generated/api.ts'
import type { RemitErrorCode } from '../generated/errors.ts'

/** What the service said of an error; see the fields of RemitError. */
export interface RemitErrorDetails {
  readonly status: number
  readonly code: RemitErrorCode | (string & Record<never, never>)
  readonly requestId: string | undefined
  readonly issues: readonly Issue[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
}

/**
 * An error that the service answered with. Its message is the service's sentence.
 *
 * What programs tell apart has a class of its own; everything else is a RemitError with its `code`.
 *
 * @example
 * import { NotFoundError, RemitError } from '@remit/client'
 *
 * try {
 *   await client.getSubscription({ id })
 * } catch (error) {
 *   if (error instanceof NotFoundError) console.log('There is no such subscription.')
 *   else if (error instanceof RemitError) console.log(error.code, error.message, error.requestId)
 *   else throw error
 * }
 */
export class RemitError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Permanent; a newer service may have codes that are not listed here. */
  readonly code: RemitErrorDetails['code']
  /** Quote it to the service's operator. */
  readonly requestId: string | undefined
  /** Every failing field or precondition; empty where the error has none. */
  readonly issues: readonly Issue[]
  /** What the service said beside the sentence and the code, as it is on the wire. */
  readonly facts: Readonly<Record<string, unknown>>
  /** After this many seconds it is worth trying again; `undefined` if the service does not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, details: RemitErrorDetails) {
    super(message)
    this.name = new.target.name
    this.status = details.status
    this.code = details.code
    this.requestId = details.requestId
    this.issues = details.issues
    this.facts = details.facts
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** A client over one's own node was asked what no node can answer: what is in an index, or what a service keeps. */
export class NeedsServiceError extends Error {
  override readonly name = 'NeedsServiceError'
  /** Such as "searchSubscriptions". */
  readonly method: string

  constructor(method: string) {
    super(`${method} is answered by a service and not by a node: give createClient a url beside the node.`)
    this.method = method
  }
}

/** The API key, admin secret, Basic Auth or session is not a live one, or is missing; or a sign-in failed. */
export class UnauthorizedError extends RemitError {}

/** The origin is not allowed, key management, the portal or passes are switched off, or a membership has ended. */
export class ForbiddenError extends RemitError {}

/** A limit of the caller is reached; nothing was done. */
export class RateLimitedError extends RemitError {
  /** The limit that takes longest to wait for, such as "writeRpm", the prepares of a minute; "unknown" where none was named. */
  readonly bucket: string
  /** Whose limits these are: "free", or "developer" with an API key; "unknown" where none was named. */
  readonly lane: string
  /** How much that limit admits; `undefined` where the service did not say. */
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

/** The input does not fit; `issues` names every field. */
export class ValidationError extends RemitError {}

/** There is no such subscription, approved token, key or route. */
export class NotFoundError extends RemitError {}

/** The list has changed under the cursor: start again from its first page. */
export class CursorStaleError extends RemitError {}

/** Preconditions on chain fail; `issues` names every one. */
export class NotReadyError extends RemitError {}

/** The given terms of a subscription are not the chain's; `issues` shows both. */
export class SubscriptionMismatchError extends RemitError {}

/** Why a simulation reverts, as far as it could be decoded. */
export interface RevertReason {
  /** The contract's own revert text, "0" to "25"; `undefined` where something else reverted. */
  readonly protocolCode: string | undefined
  /** What that code stands for, in capitals; "UNKNOWN" where the service did not say. */
  readonly name: string
  readonly message: string
  /** What the contract or the token reverted with, where it could not be decoded. */
  readonly data: string | undefined
}

/** The transactions were simulated on the chain's state, and revert. */
export class SimulationFailedError extends RemitError {
  readonly reason: RevertReason

  constructor(message: string, details: RemitErrorDetails) {
    super(message, details)
    const reason = isRecord(details.facts.reason) ? details.facts.reason : {}
    this.reason = {
      protocolCode: textOf(reason.protocolCode),
      name: textOf(reason.name) ?? 'UNKNOWN',
      message: textOf(reason.message) ?? message,
      data: textOf(reason.data),
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** No answer came: the connection failed at some point. The service may have got the request. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'

  constructor(origin: string, cause: unknown) {
    super(`${origin} could not be reached${codeOf(cause)}.`, { cause })
  }
}

/** One try took longer than `timeoutMs`. The service may have got the request. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly timeoutMs: number

  constructor(origin: string, timeoutMs: number) {
    super(`${origin} did not answer within ${timeoutMs} ms.`)
    this.timeoutMs = timeoutMs
  }
}

interface UnexpectedAnswerDetails {
  readonly status: number
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The answer is not one of this service's: it came from a proxy, or from another version. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  /** HTTP status; 0 where a browser tells none. */
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, requestId, retryAfterSeconds }: UnexpectedAnswerDetails) {
    super(message)
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Node says what happened in a code behind "fetch failed". */
function codeOf(cause: unknown): string {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return ` (${error.code})`
  }
  return ''
}

/** The chain could not be asked, was too slow to answer, or its nodes cannot simulate. */
export class UpstreamError extends RemitError {}

/** The index of search and history could not be read, or is behind. */
export class IndexUnavailableError extends RemitError {}

/** The service answers, but cannot work at present: switched off, draining, or without what it needs. */
export class UnavailableError extends RemitError {}

/** The block that `minBlock` asks for has not been seen in time. */
export class BlockNotSeenError extends UnavailableError {}
