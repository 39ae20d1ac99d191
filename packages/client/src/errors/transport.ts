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
