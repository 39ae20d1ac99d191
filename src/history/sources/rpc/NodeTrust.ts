import type { Log } from '../../../core/ports/log.ts'
import type { ChainNode } from '../../../core/ports/node.ts'

/** A node that said what cannot be right is asked last for so long, or is no measure for others. */
const DISTRUST_MS = 60_000
/** The log is told once in so long. */
const QUIET_MS = 10 * 60_000

/** Which of a chain's nodes to ask: those that work, and among them first those that were not caught lying. */
export class NodeTrust {
  readonly #node: ChainNode
  readonly #log: Log
  readonly #now: () => number
  readonly #distrustedUntil = new Map<number, number>()
  readonly #convictedUntil = new Map<number, number>()
  readonly #toldAt = new Map<number, number>()

  constructor(options: { node: ChainNode; log: Log; now: () => number }) {
    this.#node = options.node
    this.#log = options.log
    this.#now = options.now
  }

  /** In the order in which to ask; `undefined` (any node) where none is known to work. */
  order(): readonly (number | undefined)[] {
    const working = this.#node.working()
    if (working.length === 0) return [undefined]
    const isTrusted = (node: number) => !this.#isWithin(this.#distrustedUntil, node)
    return [...working.filter(isTrusted), ...working.filter((node) => !isTrusted(node))]
  }

  /** Another one to hold a node's answers against; `undefined` where none of them works. */
  witness(against: number | undefined): number | undefined {
    if (against === undefined) return undefined
    return this.order().find((node) => node !== undefined && this.#isFit(node, against))
  }

  /** Whether there is another one to hold a node's answers against, be it out of order just now. */
  hasWitness(against: number | undefined): boolean {
    return Array.from({ length: this.#node.count }, (_, node) => node).some((node) =>
      this.#isFit(node, against ?? 0),
    )
  }

  /** @param why what it said, in words that name no URL */
  distrust(node: number | undefined, why: string): void {
    if (node === undefined) return
    this.#distrustedUntil.set(node, this.#now() + DISTRUST_MS)
    this.#tell(node, why)
  }

  /** It is proven wrong, and would be in each of its answers: to hold others against it is a waste. */
  convict(node: number, why: string): void {
    this.#convictedUntil.set(node, this.#now() + DISTRUST_MS)
    this.distrust(node, why)
  }

  #isFit(node: number, against: number): boolean {
    return node !== against && !this.#isWithin(this.#convictedUntil, node)
  }

  #isWithin(until: ReadonlyMap<number, number>, node: number): boolean {
    return (until.get(node) ?? 0) > this.#now()
  }

  #tell(node: number, why: string): void {
    const toldAt = this.#toldAt.get(node)
    if (toldAt !== undefined && this.#now() - toldAt < QUIET_MS) return
    this.#toldAt.set(node, this.#now())
    const { chainId } = this.#node
    this.#log.warn(`RPC ${node + 1} of chain ${chainId} is asked last for a while: ${why}`, { chainId })
  }
}
