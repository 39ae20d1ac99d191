import type { HistoryPort, HistoryQueries, Indexed, IndexHealth } from '../core/ports/history.ts'
import { RemitError } from '../errors/base.ts'
import { BlockNotSeenError } from '../errors/chain.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { ProjectionReader } from './projection.ts'
import type { ChainIndex } from './status/ChainIndex.ts'

const MIN_BLOCK_WAIT_MS = 2_000
const RETRY_MS = 20

/** Lets answers read the index of each chain that has one. */
export class History implements HistoryPort {
  readonly #reader: Pick<ProjectionReader, 'snapshot'>
  readonly #indexes: ReadonlyMap<number, ChainIndex>

  constructor(options: { reader: Pick<ProjectionReader, 'snapshot'>; indexes: readonly ChainIndex[] }) {
    this.#reader = options.reader
    this.#indexes = new Map(options.indexes.map((index) => [index.chainId, index]))
  }

  health(chainId: number): IndexHealth | null {
    return this.#indexes.get(chainId)?.health() ?? null
  }

  async snapshot<Rows>(
    chainId: number,
    options: { minBlock?: number; signal?: AbortSignal },
    query: (queries: HistoryQueries) => Promise<Rows>,
  ): Promise<Indexed<Rows>> {
    const index = this.#indexes.get(chainId)
    if (index === undefined) throw IndexUnavailableError.off(chainId)
    const { minBlock = 0, signal } = options
    const deadline = performance.now() + MIN_BLOCK_WAIT_MS
    for (;;) {
      const inTime = minBlock === 0 || (await index.reached(minBlock, deadline - performance.now(), signal))
      signal?.throwIfAborted()
      const { rows, indexState } = await this.#read(chainId, query)
      const { block } = indexState
      if (block.number >= minBlock) {
        return { rows, block, position: index.position(indexState), failure: index.failure() }
      }
      if (!inTime || performance.now() >= deadline) throw BlockNotSeenError.minBlock(minBlock, block.number)
      // The index has gone back meanwhile: the block that it had reached was reorganised away.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #read<Rows>(chainId: number, query: (queries: HistoryQueries) => Promise<Rows>) {
    const found = await this.#reader.snapshot(chainId, query).catch((error: unknown) => {
      // A stale cursor is the caller's error, and a TypeError is a bug. Only the rest means that the store fails.
      if (error instanceof RemitError || error instanceof TypeError) throw error
      throw IndexUnavailableError.failed(chainId, error)
    })
    if (found === undefined) throw IndexUnavailableError.notBegun(chainId)
    return found
  }
}
