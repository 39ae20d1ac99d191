import type { Api } from '../generated/api.ts'

/**
 * The blocks that this client's transactions are in. A service hears of a block a moment after the wallet's node,
 * and what is prepared before that is prepared for the state before the transaction.
 */
export class OwnWrites {
  readonly #api: Api
  readonly #blocks = new Map<number | undefined, number>()

  constructor(api: Api) {
    this.#api = api
  }

  /** @param chainId `undefined` is the service's default chain */
  note(chainId: number | undefined, blockNumber: number): void {
    this.#blocks.set(chainId, Math.max(blockNumber, this.#blocks.get(chainId) ?? 0))
  }

  /**
   * Gives the service the two seconds that it waits for a block. Where it has not seen it even then, things go on:
   * a late service prepares what is refused, or what the last look finds to fail, but nothing wrong.
   * @param head the latest block of the wallet's node, where one is at hand: what it has not got itself is not waited
   *   for
   */
  async settle(
    chainId: number | undefined,
    signal: AbortSignal | undefined,
    head?: () => Promise<bigint>,
  ): Promise<void> {
    const minBlock = this.#blocks.get(chainId)
    if (minBlock === undefined) return
    this.#blocks.delete(chainId)
    try {
      if (head !== undefined && (await head()) < minBlock) return
      await this.#api.getProtocolState({ chainId, minBlock }, { signal, retries: 0 })
    } catch {
      signal?.throwIfAborted()
    }
  }
}
