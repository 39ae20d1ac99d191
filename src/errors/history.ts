import { errorOf } from './base.ts'

/** The index does not exist or cannot be read. Search fails with it; other routes answer without it, with `error`. */
export class IndexUnavailableError extends errorOf(
  502,
  'INDEX_UNAVAILABLE',
  'the index of search and history could not be read',
) {
  /** The chain is read without an index. */
  static off(chainId: number): IndexUnavailableError {
    return new IndexUnavailableError(
      `Chain ${chainId} has no index here: search and history are not served.`,
      {
        facts: { chainId },
      },
    )
  }

  /** The first block has not been read yet. */
  static notBegun(chainId: number): IndexUnavailableError {
    return new IndexUnavailableError(`The index of chain ${chainId} is being built; try again shortly.`, {
      facts: { chainId },
    })
  }

  /** The store failed; its message may hold an address, so it travels as the cause only. */
  static failed(chainId: number, cause: unknown): IndexUnavailableError {
    return new IndexUnavailableError(
      `The index of chain ${chainId} could not be read just now; try again shortly.`,
      { facts: { chainId }, cause },
    )
  }
}
