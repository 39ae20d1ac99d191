import type { Lane } from '@remit/engine/declare/lanes'
import type { Identity } from './access.ts'

// What parts of the service report while they work, and to whom: ended requests (to the request log and the metrics), decisions of the
// limiter (to the metrics), and turns of background loops (to `WorkPulse`, by which `/ready` and `/live` answer).

/** One answered HTTP request, or one answered tool call. */
export interface EndedRequest {
  readonly requestId: string
  /** The id of the caller's trace, or of one that begins here. */
  readonly traceId: string
  /** The id of the span in the caller's trace that sent this request; `undefined` where the trace begins here. */
  readonly parentId: string | undefined
  readonly surface: 'rest' | 'mcp'
  readonly lane: Lane
  /** The caller: only the network address where credentials failed; `undefined` where nobody was identified. Observers hash the id. */
  readonly identity: Identity | undefined
  /** The name of the operation or document; `undefined` where the request reached none. */
  readonly operation: string | undefined
  /** `undefined` where the bytes were no HTTP request. */
  readonly method: string | undefined
  /** The declared path with its parameters unfilled, never the path that the caller sent. */
  readonly route: string | undefined
  /** The HTTP status. For a tool call, the status that REST would have answered. */
  readonly status: number
  /** The code of the error that the caller got. */
  readonly code: string | undefined
  readonly durationMs: number
  /** Requests to chains that were made for it. A read shared with another request counts only there. */
  readonly upstreamRequests: number
  /** The limits that it took from, by name. */
  readonly charged: readonly string[]
  /** Whether the units of its buckets were given back, after a failure that was not the caller's. */
  readonly givenBack: boolean
  /** Whether the caller disconnected before it got an answer. */
  readonly abandoned: boolean
}

/** Is told about every request. Never throws. */
export interface RequestObserver {
  requestEnded(request: EndedRequest): void
}

/** One decision of the limiter. */
export interface LimiterDecision {
  readonly lane: Lane
  readonly outcome: 'admitted' | 'refused' | 'given back' | 'failed'
  /** The limits that were taken from, or the one that refused, by name. */
  readonly buckets: readonly string[]
  readonly durationMs: number
}

/** Is told about every decision of the limiter. Never throws. */
export interface LimiterObserver {
  limiterDecided(decision: LimiterDecision): void
}

/**
 * How a background loop (that of an index, that of the deliverer) reports each of its turns. `WorkPulse` listens: a loop that has not
 * `worked` for two minutes makes the process not ready, and one that has not even `turned` for ten makes it not live.
 */
export interface Work {
  /** Called when the loop begins, and when a turn has failed. */
  turned(): void
  /** Called when a turn has succeeded. To wait while another process does the work counts as success. */
  worked(): void
}

/** For a loop that nobody watches. */
export const unwatchedWork: Work = { turned: () => {}, worked: () => {} }
