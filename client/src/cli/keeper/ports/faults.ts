/** The service, or the way to it, fails just now. */
export class ServiceFaultError extends Error {
  override readonly name = 'ServiceFaultError'
}

/** The service has said when to come again. */
export class ServiceBusyError extends Error {
  override readonly name = 'ServiceBusyError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options: { cause?: unknown } = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There is no remit to be had: nothing is due, or something stands in its way. */
export class NoRemitError extends Error {
  override readonly name = 'NoRemitError'
  /** The service's code: NOTHING_DUE, REMIT_NOT_DUE, REMIT_STALLED… */
  readonly code: string

  constructor(message: string, code: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The keeper's own RPC, or the way to it, fails just now. */
export class ChainFaultError extends Error {
  override readonly name = 'ChainFaultError'
}
