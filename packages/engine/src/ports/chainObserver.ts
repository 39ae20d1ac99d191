/** One question to one RPC URL, or to a chain's subgraph. */
export interface UpstreamRequest {
  readonly chainId: number
  /** The place of the URL in the chain's list, from 1. The URL itself may hold a key. */
  readonly endpoint: number | 'subgraph'
  /** `undefined` where the node answered, even with an error. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/** Is told about every question to a chain. Never throws. */
export interface ChainObserver {
  /** The header `traceparent` of what is asked now; `undefined` where nobody traces it. */
  traceparent?(): string | undefined
  upstreamAsked(request: UpstreamRequest): void
  /** A value at a block was needed. @param known whether it was in the cache, or being read already */
  blockCacheAsked(chainId: number, known: boolean): void
}

export const unobservedChains: ChainObserver = { upstreamAsked: () => {}, blockCacheAsked: () => {} }
