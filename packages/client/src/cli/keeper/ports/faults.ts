/** The service fails or cannot be reached at the moment. */
export class ServiceFaultError extends Error {
  override readonly name = 'ServiceFaultError'
}

/** The service has said when to try again. */
export class ServiceBusyError extends Error {
  override readonly name = 'ServiceBusyError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options: { cause?: unknown } = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No remit is possible: nothing is due, or something prevents it. */
export class NoRemitError extends Error {
  override readonly name = 'NoRemitError'
  /** The service's code: NOTHING_DUE, REMIT_NOT_DUE, REMIT_STALLED… */
  readonly code: string

  constructor(message: string, code: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The keeper's own node fails or cannot be reached at the moment. */
export class ChainFaultError extends Error {
  override readonly name = 'ChainFaultError'
}

/** The keeper's own node has no eth_simulateV1, so it cannot tell what a remit pays. */
export class NoSimulationError extends Error {
  override readonly name = 'NoSimulationError'
}
