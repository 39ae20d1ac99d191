import type { ChainAtBlock, ChainView } from '../ports/chains.ts'
import type { HistoryQueries } from '../ports/history.ts'
import type { PassesPort } from '../ports/passes.ts'
import type { RescuesPort } from '../ports/rescues.ts'
import type { Lane } from './lanes.ts'

// What the handlers of operations on a chain are given.

/** What a handler is given of its call. It does not learn which surface called it. */
export interface CallContext {
  readonly requestId: string
  readonly lane: Lane
  readonly signal: AbortSignal | undefined
  /** The address of the wallet that has signed in, in lower case; `undefined` where nobody has. */
  readonly subject?: string | undefined
  readonly passes: PassesPort
  /** `undefined` where permits are not kept. */
  readonly rescues?: RescuesPort | undefined
}

/** Reads one consistent state of the chain's index; `undefined` where there is none, or where it cannot be read. */
export type AskIndex = <Rows>(query: (history: HistoryQueries) => Promise<Rows>) => Promise<Rows | undefined>

export interface ChainContext extends CallContext {
  readonly chain: ChainView
  /** Asks what the index knows beside the chain. Its block may be another one than the answer's. */
  readonly askIndex: AskIndex
}

/**
 * All that an answer which is kept may be made from: one chain at one block and on one day, and the caller's lane.
 * Anything else is missing here, so a handler that needs more does not compile.
 */
export interface BlockContext {
  readonly lane: Lane
  readonly chain: ChainAtBlock
}

/** What a prepare is made from: a chain at its newest block. It can be had in another thread. */
export interface PrepareContext {
  readonly requestId: string
  readonly chain: ChainView
}
