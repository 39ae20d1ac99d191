/** The most characters of a path with its query: what most servers and proxies take. The longest GET of this API has less. */
export const MAX_TARGET_LENGTH = 8 * 1024

/** Limits of size and time that apply before a request is identified. */
export interface ServerLimits {
  /** The request line and all headers. */
  readonly maxHeaderBytes: number
  readonly headersTimeoutMs: number
  /** A whole request, body included. */
  readonly requestTimeoutMs: number
  /** How long a peer may read nothing of an answer. */
  readonly sendTimeoutMs: number
  /** Longer than the idle time of common load balancers: they must close first, or they send into a closed socket. */
  readonly keepAliveTimeoutMs: number
  /** How many connections may be open. At the limit, waiting ones are closed to make room. */
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
