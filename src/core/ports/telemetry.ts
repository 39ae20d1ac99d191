import type { Lane } from '../lanes.ts'
import type { Identity } from './access.ts'

/** One request, once it is answered: an HTTP request, or one call of a tool. */
export interface EndedRequest {
  readonly requestId: string
  readonly surface: 'rest' | 'mcp'
  readonly lane: Lane
  /** The address alone where credentials failed; `undefined` where nobody was looked for. Observers hash its id. */
  readonly identity: Identity | undefined
  /** A name from the list of operations, or of a document; `undefined` where the request became a call of none. */
  readonly operation: string | undefined
  /** `undefined` where the bytes never became a request. */
  readonly method: string | undefined
  /** As the list has it, with its parameters unfilled; never what the caller wrote. */
  readonly route: string | undefined
  /** What REST answers; of a tool's call, what REST would have answered. */
  readonly status: number
  /** Of the error that the caller was told. */
  readonly code: string | undefined
  readonly durationMs: number
  /** Requests to chains that were made for it. Reads that it shares with another request count there. */
  readonly upstreamRequests: number
  /** The limits that it took from, by name. */
  readonly charged: readonly string[]
  /** Whether the scarce ones among them were given back, after a failure that was not the caller's. */
  readonly givenBack: boolean
  /** Whether the caller hung up before there was an answer. */
  readonly abandoned: boolean
}

/** Hears of every request. Never throws. */
export interface RequestObserver {
  requestEnded(request: EndedRequest): void
}

/** One question to one RPC URL, or to a chain's subgraph. */
export interface UpstreamRequest {
  readonly chainId: number
  /** Its place among the chain's URLs, from 1: a URL may hold a key. */
  readonly endpoint: number | 'subgraph'
  /** `undefined` where the node answered, be it with an error of its own. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/** Hears of what is asked of chains. Never throws. */
export interface ChainObserver {
  upstreamAsked(request: UpstreamRequest): void
  /** Something was wanted of a block. @param known whether it had been read before, or was being read */
  blockCacheAsked(chainId: number, known: boolean): void
}

export const unobservedChains: ChainObserver = { upstreamAsked: () => {}, blockCacheAsked: () => {} }

/** One decision of the limiter. */
export interface LimiterDecision {
  readonly lane: Lane
  readonly outcome: 'admitted' | 'refused' | 'given back' | 'failed'
  /** The limits that were taken from, or the one that refused, by name. */
  readonly buckets: readonly string[]
  readonly durationMs: number
}

/** Hears of what the limiter decides. Never throws. */
export interface LimiterObserver {
  limiterDecided(decision: LimiterDecision): void
}
