/** A block that the service has not seen by then will not come, say because a development chain was restarted. */
const KEPT_MS = 120_000

interface Note {
  readonly blockNumber: number
  readonly until: number
}

/**
 * The newest block with a transaction of this client, by chain. A service sees a block a moment after the wallet's node
 * does. So for a while every call on the chain asks for this block or a later one.
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

  /** Takes the chain of an answer to a call that named none: it is the service's default. */
  learnDefault(chainId: number): void {
    this.#defaultChainId = chainId
  }

  /** Whether something was sent while the service's default chain is not known yet. */
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
