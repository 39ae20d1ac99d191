import type { Lane } from '@remit/engine/declare/lanes'
import type { Identity } from './access.ts'

/** One answered HTTP request, or one answered tool call. */
export interface EndedRequest {
  readonly requestId: string
  /** The id of the caller's trace, or of one that begins here. */
  readonly traceId: string
  /** Who asked, in the caller's trace. */
  readonly parentId: string | undefined
  readonly surface: 'rest' | 'mcp'
  readonly lane: Lane
  /** Who asked: only the address where credentials failed; `undefined` where nobody was identified. Observers hash the id. */
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

/** One loop of a process, which tells how its turns end. */
export interface Work {
  /** The loop begins, or a turn has ended without success. */
  turned(): void
  /** A turn has ended well. Standing by for another process is work, too. */
  worked(): void
}

/** For a loop that nobody watches. */
export const unwatchedWork: Work = { turned: () => {}, worked: () => {} }
