import {
  type EndpointLimits,
  NODE_ABILITIES,
  NODE_LIMITS,
  type NodeAbility,
  type NodeFact,
  type NodeLimit,
  type SetLimits,
} from '../../ports/nodes.ts'

/** A limit is forgotten after so long: the node, or who pays for it, may grant more by then. */
const FORGET_LIMIT_MS = 60 * 60_000
/** Whether a node can do something is forgotten after so long, because another node may answer at the URL by then. */
const FORGET_ABILITY_MS = 10 * 60_000

/** Gas caps that nodes and gateways are usually set to. */
const USUAL_GAS = [50_000_000, 25_000_000]

interface Learnt<T> {
  readonly value: T
  readonly learntAt: number
}

/**
 * What is known of the node at one RPC URL: how much it answers at once, and what it can do.
 *
 * Everything is learnt from its refusals and forgotten after a while, or set by the operator and then never learnt.
 */
export class NodeLimits {
  readonly #endpoint: number
  readonly #set: SetLimits
  readonly #now: () => number
  readonly #limits = new Map<NodeLimit, Learnt<number>>()
  readonly #abilities = new Map<NodeAbility, Learnt<boolean>>()

  /**
   * @param options.endpoint the URL's place among the chain's, from 1
   * @param options.now unix milliseconds
   */
  constructor(options: { endpoint?: number; set?: SetLimits; now?: () => number } = {}) {
    this.#endpoint = options.endpoint ?? 1
    this.#set = options.set ?? {}
    this.#now = options.now ?? Date.now
  }

  /** The most to ask for now; `undefined` where no limit is known. */
  most(limit: NodeLimit): number | undefined {
    return this.#set[limit] ?? this.#learnt(limit)?.value
  }

  /**
   * Takes note that the node refused so much.
   * @param granted how much it says that it grants
   * @returns whether less may be asked for now
   */
  refused(limit: NodeLimit, asked: number, granted?: number): boolean {
    const set = this.#set[limit]
    if (set !== undefined) return set < asked
    const value = Math.max(1, Math.min(granted ?? nextBelow(limit, asked), asked - 1))
    const known = this.#learnt(limit)
    // Of requests that were under way together, the first has taught this already.
    if (known === undefined || value < known.value) this.#limits.set(limit, { value, learntAt: this.#now() })
    return Math.min(value, known?.value ?? value) < asked
  }

  /** Whether the node can do something; `undefined` if it was never found out, or too long ago. */
  can(ability: NodeAbility): boolean | undefined {
    const set = this.#set[ability]
    if (set !== undefined) return set
    const found = this.#abilities.get(ability)
    return found !== undefined && this.#now() < found.learntAt + FORGET_ABILITY_MS ? found.value : undefined
  }

  /** Takes note of what the node can do. @returns whether this differs from what was found before, however long ago that was */
  found(ability: NodeAbility, has: boolean): boolean {
    if (this.#set[ability] !== undefined) return false
    const isNew = this.#abilities.get(ability)?.value !== has
    this.#abilities.set(ability, { value: has, learntAt: this.#now() })
    return isNew
  }

  /** What is known of the node, for operators. */
  known(): EndpointLimits {
    const limits: { [Name in NodeLimit]?: NodeFact<number> } = {}
    for (const name of NODE_LIMITS) {
      const [set, learnt] = [this.#set[name], this.#learnt(name)]
      if (set !== undefined) limits[name] = { value: set, source: 'set', learntAt: null }
      else if (learnt) limits[name] = { ...learnt, source: 'learnt' }
    }
    const abilities: { [Name in NodeAbility]?: NodeFact<boolean> } = {}
    for (const name of NODE_ABILITIES) {
      const [set, found] = [this.#set[name], this.#abilities.get(name)]
      if (set !== undefined) abilities[name] = { value: set, source: 'set', learntAt: null }
      else if (found) abilities[name] = { ...found, source: 'learnt' }
    }
    return { endpoint: this.#endpoint, limits, abilities }
  }

  #learnt(limit: NodeLimit): Learnt<number> | undefined {
    const known = this.#limits.get(limit)
    return known !== undefined && this.#now() < known.learntAt + FORGET_LIMIT_MS ? known : undefined
  }
}

/** How much to try after a refusal that names no number. */
function nextBelow(limit: NodeLimit, asked: number): number {
  const half = Math.floor(asked / 2)
  if (limit !== 'simulationGas' && limit !== 'callGas') return half
  return USUAL_GAS.find((gas) => gas < asked) ?? half
}
