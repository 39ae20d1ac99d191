import type { ChainsPort } from '../../core/ports/chains.ts'
import type { Lease, ProjectionReader, WatchStore } from '../projection.ts'

/** How often the state that no log tells is looked at. */
const EVERY_MS = 60_000
/** Questions of one look: the tokens, and the protocol's settings. */
export const WATCH_REQUESTS = 2

/** Looks at what no log tells: which tokens are paused, and how far remit is. */
export class Watch {
  readonly #chainId: number
  readonly #chains: Pick<ChainsPort, 'withView'>
  readonly #reader: Pick<ProjectionReader, 'snapshot'>
  readonly #store: WatchStore
  readonly #now: () => number
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param options.now a clock in milliseconds */
  constructor(options: {
    chainId: number
    chains: Pick<ChainsPort, 'withView'>
    reader: Pick<ProjectionReader, 'snapshot'>
    store: WatchStore
    now?: () => number
  }) {
    this.#chainId = options.chainId
    this.#chains = options.chains
    this.#reader = options.reader
    this.#store = options.store
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether it is time to look again. */
  get isDue(): boolean {
    return this.#now() - this.#lookedAt >= EVERY_MS
  }

  /** Throws LeaseLostError, BlockGoneError and the errors of the node and the store. */
  async look(lease: Lease, signal: AbortSignal): Promise<void> {
    // First: a look that fails must not keep the sweep from its work.
    this.#lookedAt = this.#now()
    const found = await this.#reader.snapshot(this.#chainId, (queries) => queries.tokens())
    if (found === undefined) return
    const { block } = found.indexState
    await this.#chains.withView(this.#chainId, { block, signal }, async (view) => {
      const [tokens, { nextUncheckedDay }] = await Promise.all([
        view.read.tokens(found.rows),
        view.read.protocol(),
      ])
      await this.#store.tell(lease, block, { tokens, nextUncheckedDay, today: view.today })
    })
  }
}
