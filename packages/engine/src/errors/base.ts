import type { Issue } from '../schema/envelope.ts'

/** A fact beside `error` and `code` in an error answer. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact }

/** What an error may carry beside its sentence. */
interface ErrorDetails {
  issues?: readonly Issue[]
  facts?: Readonly<Record<string, Fact>>
  headers?: Readonly<Record<string, string>>
  /** After how long the same request is worth sending again: the header Retry-After. */
  retryAfterSeconds?: number
  /** Goes to the log with the request id, never to the caller. */
  cause?: unknown
}

/**
 * An error that is sent to the caller, with a sentence that a stranger can act on.
 *
 * Every class has a permanent `code` and a truthful HTTP `status`, readable without an instance, so that
 * documents can be made from the classes that an operation declares.
 */
export abstract class RemitError extends Error {
  abstract readonly code: string
  abstract readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly facts: Readonly<Record<string, Fact>>
  readonly headers: Readonly<Record<string, string>>

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.issues = details.issues
    this.facts = details.facts ?? {}
    const { headers = {}, retryAfterSeconds } = details
    this.headers =
      retryAfterSeconds === undefined ? headers : { ...headers, 'Retry-After': String(retryAfterSeconds) }
  }
}

/** An error of the service in a form that travels between threads. */
export interface ToldError
  extends Pick<RemitError, 'name' | 'message' | 'code' | 'status' | 'issues' | 'facts' | 'headers'> {
  /** The cause, in words. */
  readonly cause: string | undefined
}

/** An error that another thread has thrown: what the caller is told is the same. */
export class RelayedError extends RemitError {
  override readonly code: string
  override readonly status: number

  constructor({ name, message, code, status, issues, facts, headers, cause }: ToldError) {
    super(message, { ...(issues && { issues }), facts, headers, cause })
    this.name = name
    this.code = code
    this.status = status
  }
}

/** An error class as an operation declares it. */
export interface ErrorClass {
  readonly code: string
  readonly status: number
  /** When it happens, for the documents. */
  readonly when: string
}

/**
 * Makes the base of one error class from what is permanent about it.
 * @param when the condition, in words for the documents
 */
export function errorOf(status: number, code: string, when: string) {
  abstract class Declared extends RemitError {
    static readonly code: string = code
    static readonly status: number = status
    static readonly when: string = when
    override readonly code = code
    override readonly status = status
  }
  return Declared
}

/** Whatever is no RemitError becomes this one. */
export class InternalError extends errorOf(500, 'INTERNAL_ERROR', 'the service broke a promise of its own') {
  constructor(cause: unknown) {
    super(
      'The service failed to answer; it is not the request’s fault. Quote the requestId to its operator.',
      { cause },
    )
  }
}
