import type { Issue } from '../generated/api.ts'
import type { RemitErrorCode } from '../generated/errors.ts'

/** What the service said of an error. */
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
