import { SourceError } from '@remit/engine/ports/source'

/**
 * The subgraph does not answer, or its answer cannot be used now. It is worth asking again.
 *
 * The message is for the operator. It names no URL and quotes nothing of the server's answer: a gateway's URL holds
 * the key, and a server may quote it. For the same reason there is no `cause`.
 */
export class SubgraphFailedError extends Error {
  override readonly name: string = 'SubgraphFailedError'
}

/** The answer is longer than this service's limit, or the server's. Fewer rows may fit. */
export class AnswerTooLargeError extends SubgraphFailedError {
  override readonly name = 'AnswerTooLargeError'
}

/** The subgraph answers, but some of its rows are not those of the chain, or none at all. The chain's logs have them. */
export class UnusableRowsError extends SourceError {
  /** The block whose rows differ; `undefined` where no block is known. */
  readonly blockNumber: number | undefined

  constructor(message: string, blockNumber?: number) {
    super(message)
    this.blockNumber = blockNumber
  }
}
