import type { ChainNodeOptions } from '../indexing/createChainNodes.ts'
import type { ChainHealth, ChainsPort, ChainView, Moment } from '../ports/chains.ts'
import type { BlockRef } from '../ports/history.ts'
import type { EndpointLimits } from '../ports/nodes.ts'
import type { ChainRow } from '../schema/chain.ts'
import { caip2 } from '../schema/chain.ts'
import { ChainAccess } from './ChainAccess.ts'
import { type ChainEntry, isReachable } from './registry.ts'

/** The chains of the registry. Nothing is asked of them before `start()` or the first view. */
export class Chains implements ChainsPort {
  readonly rows: readonly ChainRow[]
  readonly defaultChainId: number
  readonly #reachable: ReadonlyMap<number, ChainAccess>

  /**
   * @param options what each chain's ChainAccess takes too; `request` asks the node of the one entry there is
   * @throws RangeError where the default chain is not among the entries
   */
  constructor(
    options: Omit<ConstructorParameters<typeof ChainAccess>[0], 'entry'> & {
      entries: readonly ChainEntry[]
      defaultChainId: number
    },
  ) {
    const { entries, defaultChainId, ...access } = options
    if (!entries.some(({ chainId }) => chainId === defaultChainId)) {
      throw new RangeError(`the default chain ${defaultChainId} is not in the registry`)
    }
    const isAsked = (entry: ChainEntry) => access.request !== undefined || isReachable(entry)
    this.defaultChainId = defaultChainId
    this.rows = entries.map((entry) => ({
      chainId: entry.chainId,
      caip2: caip2(entry.chainId),
      name: entry.name,
      rest: entry.rest && isAsked(entry),
      mcp: entry.mcp && isAsked(entry),
      default: entry.chainId === defaultChainId,
    }))
    this.#reachable = new Map(
      entries.filter(isAsked).map((entry) => [entry.chainId, new ChainAccess({ entry, ...access })]),
    )
  }

  /** Begins to follow every chain's head. Waits for none of them; the first reads do. */
  start(): void {
    for (const chain of this.#reachable.values()) chain.start()
  }

  /** Stops following. Views in use stay usable. */
  stop(): void {
    for (const chain of this.#reachable.values()) chain.stop()
  }

  /** The health of each chain with an RPC URL. */
  health(): readonly ChainHealth[] {
    return [...this.#reachable.values()].map((chain) => chain.health())
  }

  /** What is known of each node of a chain: what it limits, and what it can do. Never asks. */
  nodeLimits(chainId: number): readonly EndpointLimits[] {
    return this.#reachable.get(chainId)?.nodeLimits() ?? []
  }

  throwIfMisconfigured(chainId: number): void {
    this.#chain(chainId).throwIfMisconfigured()
  }

  seen(chainId: number, options: { minBlock?: number }): Moment | undefined {
    return this.#chain(chainId).seen(options)
  }

  /** As `ChainAccess.confirmed`. Throws RangeError where the chain has no RPC URL. */
  confirmed(chainId: number): Promise<void> {
    return this.#chain(chainId).confirmed()
  }

  /** What an indexer of this chain is made with. Throws RangeError where it has no RPC URL. */
  indexing(chainId: number): ChainNodeOptions {
    return this.#chain(chainId).indexing
  }

  /** As `ChainAccess.wake`. */
  async wake(chainId: number): Promise<number | undefined> {
    return this.#reachable.get(chainId)?.wake()
  }

  /** As `ChainAccess.seenHead`; `undefined` also for a chain without an RPC URL. */
  seenHead(chainId: number): ReturnType<ChainAccess['seenHead']> {
    return this.#reachable.get(chainId)?.seenHead()
  }

  /** @param options.now the chain's clock in the view, unix seconds, only beside `block`; default: as the chain's head tells it */
  async withView<T>(
    chainId: number,
    options: { minBlock?: number; block?: BlockRef; now?: number; signal?: AbortSignal },
    use: (view: ChainView) => Promise<T>,
  ): Promise<T> {
    return this.#chain(chainId).withView(options, use)
  }

  #chain(chainId: number): ChainAccess {
    const chain = this.#reachable.get(chainId)
    if (chain === undefined) throw new RangeError(`chain ${chainId} has no RPC URL`)
    return chain
  }
}
