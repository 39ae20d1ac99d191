import { SourceError } from '../../source.ts'

/** The subgraph answers, but some of its rows are not those of the chain, or none at all. The chain's logs have them. */
export class UnusableRowsError extends SourceError {
  /** The block whose rows differ; `undefined` where no block is known. */
  readonly blockNumber: number | undefined

  constructor(message: string, blockNumber?: number) {
    super(message)
    this.blockNumber = blockNumber
  }
}
