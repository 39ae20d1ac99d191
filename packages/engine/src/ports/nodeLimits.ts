/** What nodes limit, in numbers. */
export const NODE_LIMITS = [
  /** Requests in one JSON-RPC batch; 1 where the node takes no batches. */
  'batch',
  /** Bytes of a request’s body. */
  'body',
  /** Blocks of one eth_getLogs. */
  'logRange',
  /** Logs in one answer of eth_getLogs. */
  'logResults',
  /** Gas of one eth_call or eth_estimateGas. */
  'callGas',
  /** Gas of all calls of one eth_simulateV1. */
  'simulationGas',
] as const

export type NodeLimit = (typeof NODE_LIMITS)[number]

/** What some nodes can do and others cannot. */
export const NODE_ABILITIES = [
  /** Take a block by its hash (EIP-1898). */
  'blockHash',
  'simulateV1',
  /** Run code that an eth_call lays over an address. */
  'stateOverrides',
  /** Name the newest final block. */
  'finalized',
  /** Give the logs of old blocks. */
  'pastLogs',
  /** Several nodes answer at the URL, and some of them lag. */
  'replicas',
] as const

export type NodeAbility = (typeof NODE_ABILITIES)[number]

/** One thing that is known of a node, and how. */
export interface NodeFact<T> {
  readonly value: T
  readonly source: 'set' | 'learnt'
  /** Unix milliseconds; `null` where it was set. */
  readonly learntAt: number | null
}

/** All that is known of what answers at one RPC URL. What is left out is not known. It never holds the URL. */
export interface EndpointLimits {
  /** The place of the URL in the chain's list, from 1. */
  readonly endpoint: number
  readonly limits: { readonly [Name in NodeLimit]?: NodeFact<number> }
  readonly abilities: { readonly [Name in NodeAbility]?: NodeFact<boolean> }
}

/** What an operator says of a node. It is not learnt then. */
export type SetLimits = { readonly [Name in NodeLimit]?: number | undefined } & {
  readonly [Name in NodeAbility]?: boolean | undefined
}
