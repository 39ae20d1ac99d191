import { setTimeout as sleep } from 'node:timers/promises'
import { RemitError } from '@remit/engine/errors/base'
import { BlockNotSeenError } from '@remit/engine/errors/chain'
import { IndexUnavailableError } from '@remit/engine/errors/history'
import type { HistoryPort, HistoryQueries, Indexed, IndexedAt } from '@remit/engine/ports/history'
import type { IndexHealth } from '@remit/engine/schema/health'
import type { IndexState, ProjectionReader } from './projection.ts'
import type { ChainIndex } from './status/ChainIndex.ts'

/** How long a read waits for the block that its caller asks for (`minBlock`): one block of most chains, and the time to index it. */
const MIN_BLOCK_WAIT_MS = 2_000
/** Between two reads of the store where the index has gone back below that block. */
const RETRY_MS = 20
/** How long the first read after a quiet time waits for the blocks that came meanwhile. */
const AWAKE_WAIT_MS = 1_000

/** The index as operations read it: rows of a chain, with the block as of which they are so. One for all chains of a process. */
export class History implements HistoryPort {
  readonly #reader: Pick<ProjectionReader, 'snapshot'>
  readonly #indexes: ReadonlyMap<number, ChainIndex>
  readonly #wake: (chainId: number) => Promise<number | undefined>

  /**
   * @param options.wake called before each read. A chain that nobody reads is polled less: the first reader's call polls it at
   *   once and resolves to its newest block, for which that read waits. For later readers it resolves to `undefined`
   */
  constructor(options: {
    reader: Pick<ProjectionReader, 'snapshot'>
    indexes: readonly ChainIndex[]
    wake?: (chainId: number) => Promise<number | undefined>
  }) {
    this.#reader = options.reader
    this.#wake = options.wake ?? (async () => undefined)
    this.#indexes = new Map(options.indexes.map((index) => [index.chainId, index]))
  }

  health(chainId: number): IndexHealth | null {
    return this.#indexes.get(chainId)?.health() ?? null
  }

  async indexedAt(
    chainId: number,
    options: { minBlock?: number; isFresh?: boolean; signal?: AbortSignal },
  ): Promise<IndexedAt> {
    const { minBlock = 0, isFresh = minBlock > 0 } = options
    return this.#read(chainId, options, async (index) => {
      const indexState = await index.tip(isFresh)
      return indexState && { rows: undefined, indexState }
    })
  }

  async snapshot<Rows>(
    chainId: number,
    options: { minBlock?: number; signal?: AbortSignal },
    query: (queries: HistoryQueries) => Promise<Rows>,
  ): Promise<Indexed<Rows>> {
    return this.#read(chainId, options, () => this.#reader.snapshot(chainId, query))
  }

  /** @param read resolves to `undefined` where the index has not begun */
  async #read<Rows>(
    chainId: number,
    options: { minBlock?: number; signal?: AbortSignal },
    read: (index: ChainIndex) => Promise<{ rows: Rows; indexState: IndexState } | undefined>,
  ): Promise<Indexed<Rows>> {
    const index = this.#indexes.get(chainId)
    if (index === undefined) throw IndexUnavailableError.off(chainId)
    const { minBlock = 0, signal } = options
    const head = await this.#wake(chainId)
    if (head !== undefined) await index.reached(head, AWAKE_WAIT_MS, signal)
    const deadline = performance.now() + MIN_BLOCK_WAIT_MS
    for (;;) {
      const inTime = minBlock === 0 || (await index.reached(minBlock, deadline - performance.now(), signal))
      signal?.throwIfAborted()
      const { rows, indexState } = await readStore(chainId, () => read(index))
      const { block, finalizedBlock, approvalsReadTo, providersChecked } = indexState
      if (block.number >= minBlock) {
        const failure = index.failure()
        const position = index.position(indexState)
        return { rows, block, finalizedBlock, approvalsReadTo, providersChecked, position, failure }
      }
      if (!inTime || performance.now() >= deadline) throw BlockNotSeenError.minBlock(minBlock, block.number)
      // The index has gone back meanwhile: the block that it had reached was reorganised away.
      await sleep(RETRY_MS)
    }
  }
}

/**
 * Reads the store, with failures as callers of the API see them.
 * @param read resolves to `undefined` where the index has not begun
 * @throws IndexUnavailableError if it has not begun, or if the store fails
 */
export async function readStore<Found>(
  chainId: number,
  read: () => Promise<Found | undefined>,
): Promise<Found> {
  const found = await read().catch((error: unknown) => {
    // A stale cursor is the caller's error, and a TypeError is a bug. Only the rest means that the store fails.
    if (error instanceof RemitError || error instanceof TypeError) throw error
    throw IndexUnavailableError.failed(chainId, error)
  })
  if (found === undefined) throw IndexUnavailableError.notBegun(chainId)
  return found
}
