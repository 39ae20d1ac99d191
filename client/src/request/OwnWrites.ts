/** A block that the service has not seen after so long will not come: a development chain was started anew. */
const KEPT_MS = 120_000

interface Note {
  readonly blockNumber: number
  readonly until: number
}

/**
 * The blocks that this client's transactions are in, by chain. A service hears of a block a moment after the wallet's
 * node; so every call on the chain asks for this block or a later one, for a while.
 */
export class OwnWrites {
  readonly #now: () => number
  readonly #notes = new Map<number, Note>()
  #defaultChainId: number | undefined

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  note(chainId: number, blockNumber: number): void {
    const newest = Math.max(blockNumber, this.minBlock(chainId) ?? 0)
    this.#notes.set(chainId, { blockNumber: newest, until: this.#now() + KEPT_MS })
  }

  /** An answer to a call that named no chain: the service's default is the one that it is about. */
  learnDefault(chainId: number): void {
    this.#defaultChainId = chainId
  }

  /** Whether something was sent, and nobody knows whether that was on the service's default chain. */
  get wantsDefault(): boolean {
    return this.#notes.size > 0 && this.#defaultChainId === undefined
  }

  /** @param chainId `undefined` is the service's default chain */
  minBlock(chainId: number | undefined): number | undefined {
    const chain = chainId ?? this.#defaultChainId
    const note = chain === undefined ? undefined : this.#notes.get(chain)
    return note === undefined || this.#now() >= note.until ? undefined : note.blockNumber
  }
}
