/** How much room and time callers get before they have asked for anything. */
export interface ServerLimits {
  /** The request line and all headers. */
  readonly maxHeaderBytes: number
  readonly headersTimeoutMs: number
  /** A whole request, body included. */
  readonly requestTimeoutMs: number
  /** How long a peer may take nothing of an answer that is waiting for it. */
  readonly sendTimeoutMs: number
  /** Longer than the idle time of common load balancers, so that it is they who close. */
  readonly keepAliveTimeoutMs: number
  /** Where more come, those that only wait give way. */
  readonly maxConnections: number
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 32 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  sendTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 4_000,
}
