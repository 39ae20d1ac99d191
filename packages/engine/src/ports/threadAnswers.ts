import type { BlockRef } from './history.ts'

/** An operation of one chain, to be answered at one block. */
export interface ThreadQuestion {
  readonly chainId: number
  readonly block: BlockRef
  /** The chain's clock, unix seconds. */
  readonly now: number
  /** The declared name, such as `prepare_remit`. */
  readonly operation: string
  /** The input as JSON, not decoded. */
  readonly input: unknown
  readonly requestId: string
}

/** Answers operations away from the event loop that answers callers: those that take seconds of a processor. */
export interface ThreadAnswers {
  /**
   * The operation's result before it is encoded. Throws what the operation throws, as a RelayedError, and BlockGoneError
   * where no node has the block's state.
   */
  answer(question: ThreadQuestion): Promise<object>
}
