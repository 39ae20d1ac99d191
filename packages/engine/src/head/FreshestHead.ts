import { UpstreamError } from '../errors/chain.ts'
import type { Log } from '../ports/log.ts'
import { readHeaders } from '../rpc/readHeaders.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { pause } from '../waiting/pause.ts'
import { BlockHeader, type Head } from './blockHeader.ts'
import { KnownBlocks, MOST_WALKED } from './KnownBlocks.ts'

/** How long to wait for the other nodes once one has answered. A later answer counts when it arrives. */
const STRAGGLERS_MS = 50
/** The same for the first head, which must be the freshest that nodes name. */
const STRAGGLERS_AT_START_MS = 500
/** Clocks of machines differ by less than this. A block may not be later than that. */
const MOST_AHEAD_SECONDS = 120
/** A node that is further behind the head is asked after the others. */
const FEW_BLOCKS = 2
/** How often the head must be missing before the chain counts as set back. */
const FEWEST_MISSES = 3

/**
 * What a node named as its newest block: one on the followed chain, on another branch, or one that cannot be used. A block that is
 * older than what is remembered counts as on the chain: its node lags, and an older block is never taken for the head.
 */
interface Sighting {
  readonly node: number
  readonly header: BlockHeader
  readonly place: 'on chain' | 'branch' | 'unproven'
}

/**
 * A chain's head: the freshest block that any of its URLs names and that is shown to fit. HeadWatcher asks it about once a
 * block, and gives it blocks that are announced.
 *
 * A block fits if its time is not ahead of the wall's clock, and if its parents lead to a known block. Where too many
 * blocks lie between, it counts only while the known head stands still. A lower or equally high block of another branch
 * counts if no other node names the known branch.
 * A chain is set back if for a while no node has the head any more. A node that is behind, or does not fit, is passed over.
 */
export class FreshestHead {
  readonly #rpc: Rpc
  readonly #isDevChain: boolean
  readonly #rollbackAfterMs: number
  readonly #wallNow: () => number
  readonly #isStill: () => boolean
  readonly #onMoved: (head: Head, isReorg: boolean) => void
  readonly #log: Log
  readonly #known = new KnownBlocks()
  /** The last sighting of each node. */
  readonly #sightings = new Map<number, Sighting>()
  /** Nodes that have been asked and have not answered yet. */
  readonly #asking = new Set<number>()
  /** Nodes whose newest block does not fit, and of which the log has been told. */
  readonly #warnedOf = new Set<number>()
  /** A head that no node has any more: since when, by `performance.now()`, and how often that was seen. */
  #gone: { readonly hash: string; readonly since: number; misses: number } | undefined
  #head: Head | undefined

  /**
   * @param options.isDevChain its blocks may have any time, and any distance
   * @param options.rollbackAfterMs how long the head must be found gone before the chain counts as set back
   * @param options.isStill whether the head is so old that nodes may well be far ahead of it
   * @param options.wallNow unix time in milliseconds
   * @param options.onMoved called with each new head
   */
  constructor(options: {
    rpc: Rpc
    isDevChain: boolean
    rollbackAfterMs: number
    wallNow: () => number
    isStill: () => boolean
    onMoved: (head: Head, isReorg: boolean) => void
    log: Log
  }) {
    this.#rpc = options.rpc
    this.#isDevChain = options.isDevChain
    this.#rollbackAfterMs = options.rollbackAfterMs
    this.#wallNow = options.wallNow
    this.#isStill = options.isStill
    this.#onMoved = options.onMoved
    this.#log = options.log
  }

  get head(): Head | undefined {
    return this.#head
  }

  /** Whether a node names the head as its newest block. */
  get isNamed(): boolean {
    return [...this.#sightings.values()].some(({ header }) => header.hash === this.#head?.hash)
  }

  /**
   * Asks every node that works for its newest block, and waits for the first answer, and a little for the others. Returns
   * how long the first took, in milliseconds. If none answers, all are asked again, one after the other. Throws
   * UpstreamError or UpstreamTimeoutError if none does then, or if none names a block that fits.
   */
  async ask(signal: AbortSignal): Promise<number> {
    const begun = performance.now()
    const working = this.#rpc.working()
    const nodes = working.length > 0 ? working : Array.from({ length: this.#rpc.count }, (_, node) => node)
    for (const node of this.#sightings.keys()) if (!nodes.includes(node)) this.#sightings.delete(node)
    const isStart = this.#head === undefined
    /** The first answers at the start. They are considered together, since there is no head yet to measure them by. */
    const early: Sighting[] = []
    let latencyMs: number | undefined
    let failure: unknown
    let isOver = false
    const asked = nodes
      .filter((node) => !this.#asking.has(node))
      .map(async (node) => {
        try {
          const sighting = await this.#newestOf(node, signal)
          latencyMs ??= Math.round(performance.now() - begun)
          if (isStart && !isOver) early.push(sighting)
          else await this.#consider(sighting)
        } catch (error) {
          this.#sightings.delete(node)
          failure ??= error
          throw error
        }
      })
    const others = Promise.allSettled(asked)
    const patienceMs = isStart ? STRAGGLERS_AT_START_MS : STRAGGLERS_MS
    await Promise.any(asked).then(
      () => Promise.race([others, pause(patienceMs)]),
      () => {},
    )
    isOver = true
    // The lowest first, so that higher ones have to connect to it.
    for (const sighting of early.toSorted((a, b) => a.header.number - b.header.number)) {
      await this.#consider(sighting)
    }
    if (latencyMs === undefined) {
      // `withNode` has tried the single node again already.
      if (this.#rpc.count === 1) throw failure ?? this.#unusable('the node has not answered yet')
      await this.#consider(await this.#newestOf(undefined, signal))
      latencyMs = Math.round(performance.now() - begun)
    }
    const isFit = [...this.#sightings.values()].some(({ place }) => place === 'on chain')
    if (!isFit) throw this.#unusable('no node names a newest block that fits the known ones and the clock')
    return latencyMs
  }

  /** Takes a block that was announced, if it is the next one. Returns whether it is, or is the head. */
  take(header: BlockHeader): boolean {
    if (header.hash === this.#head?.hash) return true
    if (header.parentHash !== this.#head?.hash || this.#secondsAhead(header) > 0) return false
    this.#move([header])
    return true
  }

  /** @param asked any node if none is given, and then more than one if need be */
  async #newestOf(asked: number | undefined, signal: AbortSignal): Promise<Sighting> {
    if (asked !== undefined) this.#asking.add(asked)
    try {
      return await this.#rpc.withNode(
        async (one, node) => {
          const params = ['latest', false]
          const header = await one.request('eth_getBlockByNumber', params, BlockHeader, { signal })
          return { node, header, place: 'unproven' }
        },
        { node: asked, signal },
      )
    } finally {
      if (asked !== undefined) this.#asking.delete(asked)
    }
  }

  /** Takes note of what a node names, which may move the head. */
  async #consider(sighting: Sighting): Promise<void> {
    const { node } = sighting
    try {
      const place = await this.#placeOf(sighting)
      this.#sightings.set(node, { ...sighting, place })
      if (place === 'unproven') this.#warnOnce(sighting)
      if (place === 'on chain') this.#warnedOf.delete(node)
      await this.#lookBack()
    } finally {
      this.#putLast()
    }
  }

  /** How a sighting relates to the followed chain. A fresher one becomes the head. */
  async #placeOf({ node, header }: Sighting): Promise<Sighting['place']> {
    if (this.#secondsAhead(header) > 0) return 'unproven'
    const head = this.#head
    if (head === undefined) return this.#restart(header, false)
    if (this.#known.has(header.number, header.hash)) return 'on chain'
    const isHigher = header.number > head.number
    // An older block than is remembered: the node lags.
    if (!isHigher && !this.#known.contradicts(header)) return 'on chain'
    const isFar = header.number - head.number > MOST_WALKED
    const walk = isFar ? { kind: 'far' as const } : await this.#known.walkDown(header, this.#reader(node))
    if (walk.kind === 'shown') {
      // Another node's answer may have moved the head meanwhile.
      if (this.#known.has(header.number, header.hash)) return 'on chain'
      const isFresher = header.number > (this.#head?.number ?? 0)
      const fork = walk.branch[0].number - 1
      return isFresher || !this.#isNamedAbove(fork, node) ? this.#move(walk.branch) : 'branch'
    }
    // Too far ahead to be shown to connect. It is believed on a development chain, and where the head stands still.
    const isBelieved = isHigher && (this.#isDevChain || this.#isStill())
    if (walk.kind === 'broken' || !isBelieved) return 'unproven'
    // A node without the known head has another branch.
    const [atHead] = await this.#reader(node)([head.number])
    return this.#restart(header, atHead?.hash !== head.hash)
  }

  /** Whether another node's newest block is of the known branch above a block. */
  #isNamedAbove(fork: number, node: number): boolean {
    return [...this.#sightings.values()].some(
      ({ node: other, header }) =>
        other !== node && header.number > fork && this.#known.has(header.number, header.hash),
    )
  }

  /** Goes back to the newest block that nodes name, once none of them has had the head for long enough. */
  async #lookBack(): Promise<void> {
    const head = this.#head
    const seen = [...this.#sightings.values()].filter(({ header }) => this.#secondsAhead(header) <= 0)
    const newest = seen.toSorted((a, b) => b.header.number - a.header.number)[0]
    if (head === undefined || newest === undefined) return
    const isBehind = newest.header.number <= head.number && newest.header.hash !== head.hash
    if (!isBehind || (await this.#isKnownTo(seen, head))) {
      this.#gone = undefined
      return
    }
    const now = performance.now()
    if (this.#gone?.hash !== head.hash) this.#gone = { hash: head.hash, since: now, misses: 0 }
    this.#gone.misses += 1
    if (this.#gone.misses >= FEWEST_MISSES && now - this.#gone.since >= this.#rollbackAfterMs) {
      this.#restart(newest.header, true)
    }
  }

  /** Whether a node has the head on its chain, or does not say. */
  async #isKnownTo(seen: readonly Sighting[], head: Head): Promise<boolean> {
    const questions = seen.map(({ node }) => this.#reader(node)([head.number]).catch(() => [head]))
    return (await Promise.all(questions)).some(([header]) => header?.hash === head.hash)
  }

  #reader(node: number) {
    return (numbers: readonly number[]) =>
      this.#rpc.withNode((one) => readHeaders(one, numbers, BlockHeader), { node })
  }

  /** Follows the chain from a block that is not shown to connect. */
  #restart(header: BlockHeader, isReorg: boolean): 'on chain' {
    this.#known.restart(header)
    return this.#turnTo(header, isReorg)
  }

  /** Follows a branch that connects. */
  #move(branch: readonly [BlockHeader, ...BlockHeader[]]): 'on chain' {
    const isReorg = this.#known.put(branch)
    return this.#turnTo(branch[branch.length - 1] ?? branch[0], isReorg)
  }

  #turnTo({ number, hash, parentHash, timestamp }: BlockHeader, isReorg: boolean): 'on chain' {
    this.#gone = undefined
    this.#head = { number, hash, parentHash, timestamp, seenAt: performance.now() }
    this.#onMoved(this.#head, isReorg)
    return 'on chain'
  }

  /** How many seconds a block's time is ahead, beyond what clocks may differ by. Not above 0 if it fits. */
  #secondsAhead({ timestamp }: BlockHeader): number {
    return this.#isDevChain ? 0 : timestamp - this.#wallNow() / 1_000 - MOST_AHEAD_SECONDS
  }

  #unusable(what: string): UpstreamError {
    return new UpstreamError(this.#rpc.chainId, { cause: new Error(what) })
  }

  /** Has nodes that are behind, or do not fit, asked after the others. */
  #putLast(): void {
    const newest = this.#head?.number ?? 0
    const isBehind = ({ header, place }: Sighting) =>
      place !== 'on chain' || newest - header.number > FEW_BLOCKS
    this.#rpc.putLast([...this.#sightings.values()].filter(isBehind).map(({ node }) => node))
  }

  #warnOnce({ node, header }: Sighting): void {
    if (this.#warnedOf.has(node)) return
    this.#warnedOf.add(node)
    const ahead = Math.ceil(this.#secondsAhead(header))
    const why =
      ahead > 0
        ? `is ${ahead + MOST_AHEAD_SECONDS} s ahead of this machine’s clock`
        : 'is not shown to connect to the known ones'
    this.#log.warn(`RPC ${node + 1} of chain ${this.#rpc.chainId} names a newest block that ${why}`, {
      chainId: this.#rpc.chainId,
      blockNumber: header.number,
    })
  }
}
