import { UpstreamError } from '../../errors/chain.ts'
import type { Log } from '../../ports/log.ts'
import type { ChainNodes } from '../../ports/nodes.ts'

/** How long a node that gave a wrong answer is asked last, or is not compared with. */
const DISTRUST_MS = 60_000
/** The same node is named in the log at most once in this time. */
const QUIET_MS = 10 * 60_000
/** How long final blocks wait for a second node: long enough for a node to restart. */
const SECOND_NODE_WAIT_MS = 30_000
/**
 * Where the second node was not missed for so long, its next outage is a new one. It is longer than a step takes, or the
 * pause after a failure.
 */
const OUTAGE_OVER_MS = 5 * 60_000

/**
 * Which of a chain's nodes to ask first, and which second node RangeReader compares it with.
 *
 * Final blocks wait for a second node if one is configured. Otherwise a log that a faulty node hides would come
 * through whenever the other node has a short outage, and its absence would stay. A node that is excluded, because it refuses
 * ranges that others answer, counts as one that is not configured: waiting for it would be in vain.
 */
export class NodeTrust {
  readonly #nodes: ChainNodes
  readonly #log: Log
  readonly #now: () => number
  readonly #waitMs: number
  /** Until when a node is asked last, because it was wrong: by its place, in milliseconds of `now`. */
  readonly #distrustedUntil = new Map<number, number>()
  /** Until when a node is not compared with, because it refused a range that another one answers: by its place, in milliseconds of `now`. */
  readonly #excludedUntil = new Map<number, number>()
  /** When a node's distrust was logged last: by its place, in milliseconds of `now`. */
  readonly #loggedAt = new Map<number, number>()
  /** When the present outage of the second node began, and when that node was last missed; milliseconds of `now`. */
  #outageSince: number | undefined
  #missedAt = Number.NEGATIVE_INFINITY
  #isAloneLogged = false

  constructor(options: { nodes: ChainNodes; log: Log; now: () => number; waitMs: number | undefined }) {
    this.#nodes = options.nodes
    this.#log = options.log
    this.#now = options.now
    this.#waitMs = options.waitMs ?? SECOND_NODE_WAIT_MS
  }

  /** The working nodes, distrusted ones last; `undefined` (any node) if none is known to work. */
  order(): readonly (number | undefined)[] {
    const working = this.#nodes.working()
    if (working.length === 0) return [undefined]
    const isTrusted = (node: number) => !this.#isWithin(this.#distrustedUntil, node)
    return [...working.filter(isTrusted), ...working.filter((node) => !isTrusted(node))]
  }

  /** A working node to compare with `node`; `undefined` if there is none. */
  second(node: number | undefined): number | undefined {
    if (node === undefined) return undefined
    return this.order().find((other) => other !== undefined && this.#isComparable(other, node))
  }

  /** Two nodes' answers were compared: an outage of the second one is over. */
  noteCompared(): void {
    const { chainId } = this.#nodes
    if (this.#isAloneLogged) this.#log.info('two nodes are compared again', { chainId })
    this.#endOutage()
  }

  /**
   * Asked where no second node answers, before `node` is read alone. Throws UpstreamError while a second one is waited for.
   * After the wait it returns, and the log says once in an outage that one node is read alone.
   */
  assertMayReadAlone(node: number | undefined): void {
    if (!this.#hasSecond(node)) return
    const { chainId } = this.#nodes
    const now = this.#now()
    // Near the head hardly anything is compared, so an outage may end without a comparison.
    if (now - this.#missedAt > OUTAGE_OVER_MS) this.#endOutage()
    this.#missedAt = now
    this.#outageSince ??= now
    if (now - this.#outageSince < this.#waitMs) {
      const cause = new Error('no second node answers at present to compare final blocks with')
      throw new UpstreamError(chainId, { cause })
    }
    if (this.#isAloneLogged) return
    this.#isAloneLogged = true
    this.#log.warn('final blocks are read from one node alone: no other one answers', { chainId })
  }

  #endOutage(): void {
    this.#outageSince = undefined
    this.#isAloneLogged = false
  }

  /** Lets a node be asked last for a while, and logs it. @param why what was wrong, without a URL */
  distrust(node: number | undefined, why: string): void {
    if (node === undefined) return
    this.#distrustedUntil.set(node, this.#now() + DISTRUST_MS)
    const loggedAt = this.#loggedAt.get(node)
    if (loggedAt !== undefined && this.#now() - loggedAt < QUIET_MS) return
    this.#loggedAt.set(node, this.#now())
    const { chainId } = this.#nodes
    this.#log.warn(`RPC ${node + 1} of chain ${chainId} is asked last for a while: ${why}`, { chainId })
  }

  /** Distrusts a node, and compares no other node with it for a while. */
  exclude(node: number, why: string): void {
    this.#excludedUntil.set(node, this.#now() + DISTRUST_MS)
    this.distrust(node, why)
  }

  /** Whether there is a second node to compare with: one that is not excluded, even if it does not work at present. */
  #hasSecond(node: number | undefined): boolean {
    return Array.from({ length: this.#nodes.count }, (_, other) => other).some((other) =>
      this.#isComparable(other, node ?? 0),
    )
  }

  #isComparable(other: number, node: number): boolean {
    return other !== node && !this.#isWithin(this.#excludedUntil, other)
  }

  #isWithin(until: ReadonlyMap<number, number>, node: number): boolean {
    return (until.get(node) ?? 0) > this.#now()
  }
}
