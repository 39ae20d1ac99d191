import {
  type EndpointLimits,
  type KeptFinding,
  type Known,
  NODE_ABILITIES,
  NODE_LIMITS,
  type NodeAbility,
  type NodeLimit,
  type SetLimits,
} from '../../../core/ports/nodeLimits.ts'

/** After so long twice as much is tried again. Each trial that fails doubles the time, up to a day. */
const RETRY_MS = 60 * 60_000
const LONGEST_RETRY_MS = 24 * RETRY_MS
/** After a trial that worked, the next one follows sooner. */
const RAISE_AGAIN_MS = 60_000
/** Whether a node can do something is forgotten after so long, because another node may answer at the URL by then. */
const ASK_AGAIN_MS = 10 * 60_000
/** What was kept for longer says nothing about the node of today. */
const KEPT_MS = 7 * 24 * 60 * 60_000

/** Nobody asks for more than this, so a limit that grew so far is none. */
const NEVER_MORE: { readonly [Name in NodeLimit]?: number } = { batch: 40, logRange: 200_000 }

/** Gas caps that nodes and gateways are usually set to. */
const USUAL_GAS = [50_000_000, 25_000_000]

interface Learnt {
  readonly value: number
  readonly learntAt: number
  readonly retryAt: number
  readonly waitMs: number
}

interface Found {
  readonly has: boolean
  readonly learntAt: number
  readonly until: number
}

/**
 * What is known of the node at one RPC URL: how much it answers at once, and what it can do.
 *
 * Everything is learnt from its refusals, or set by the operator and then never learnt. A limit that was learnt is
 * tried again with twice as much after a while.
 */
export class NodeLimits {
  readonly #endpoint: number
  readonly #set: SetLimits
  readonly #now: () => number
  readonly #onChange: () => void
  readonly #learnt = new Map<NodeLimit, Learnt>()
  readonly #found = new Map<NodeAbility, Found>()
  /** When limits turned out to be none, in unix milliseconds. */
  readonly #lifted = new Map<NodeLimit, number>()

  /**
   * @param options.endpoint the URL's place among the chain's, from 1
   * @param options.now unix milliseconds
   * @param options.onChange called when something was learnt
   */
  constructor(
    options: { endpoint?: number; set?: SetLimits; now?: () => number; onChange?: () => void } = {},
  ) {
    this.#endpoint = options.endpoint ?? 1
    this.#set = options.set ?? {}
    this.#now = options.now ?? Date.now
    this.#onChange = options.onChange ?? (() => {})
  }

  /** The most to ask for now; `undefined` where no limit is known. */
  most(limit: NodeLimit): number | undefined {
    const set = this.#set[limit]
    if (set !== undefined) return set
    const learnt = this.#learnt.get(limit)
    if (learnt === undefined) return undefined
    return this.#now() < learnt.retryAt ? learnt.value : learnt.value * 2
  }

  /**
   * The node refused so much.
   * @param granted how much it says that it grants
   * @returns whether less may be asked for now
   */
  refused(limit: NodeLimit, asked: number, granted?: number): boolean {
    const set = this.#set[limit]
    if (set !== undefined) return set < asked
    const learnt = this.#learnt.get(limit)
    const now = this.#now()
    const isTrial = learnt !== undefined && asked > learnt.value
    // Of requests that were under way together, the first has taught this already.
    if (isTrial && now < learnt.retryAt && (granted ?? asked) >= learnt.value) return true
    const guess = isTrial ? learnt.value : nextBelow(limit, asked)
    const value = Math.max(1, Math.min(granted ?? guess, asked - 1))
    const waitMs = isTrial ? Math.min(learnt.waitMs * 2, LONGEST_RETRY_MS) : RETRY_MS
    this.#learnt.set(limit, { value, learntAt: now, retryAt: now + waitMs, waitMs })
    this.#lifted.delete(limit)
    this.#onChange()
    return value < asked
  }

  /** The node answered so much. */
  answered(limit: NodeLimit, amount: number): void {
    const learnt = this.#learnt.get(limit)
    if (learnt === undefined || amount <= learnt.value) return
    const now = this.#now()
    if (amount >= (NEVER_MORE[limit] ?? Number.POSITIVE_INFINITY)) {
      this.#learnt.delete(limit)
      this.#lifted.set(limit, now)
    } else {
      const retryAt = now + RAISE_AGAIN_MS
      this.#learnt.set(limit, { value: amount, learntAt: now, retryAt, waitMs: RETRY_MS })
    }
    this.#onChange()
  }

  /** `undefined` if it was never found out, or too long ago. */
  can(ability: NodeAbility): boolean | undefined {
    const set = this.#set[ability]
    if (set !== undefined) return set
    const found = this.#found.get(ability)
    return found !== undefined && this.#now() < found.until ? found.has : undefined
  }

  /** @returns whether this differs from what was found before, however long ago that was */
  found(ability: NodeAbility, has: boolean): boolean {
    if (this.#set[ability] !== undefined) return false
    const isNew = this.#found.get(ability)?.has !== has
    const now = this.#now()
    this.#found.set(ability, { has, learntAt: now, until: now + ASK_AGAIN_MS })
    if (isNew) this.#onChange()
    return isNew
  }

  /** For operators. */
  known(): EndpointLimits {
    const limits: { [Name in NodeLimit]?: Known<number> } = {}
    for (const name of NODE_LIMITS) {
      const [set, learnt] = [this.#set[name], this.#learnt.get(name)]
      if (set !== undefined) limits[name] = { value: set, source: 'set', learntAt: null }
      else if (learnt) limits[name] = { value: learnt.value, source: 'learnt', learntAt: learnt.learntAt }
    }
    const abilities: { [Name in NodeAbility]?: Known<boolean> } = {}
    for (const name of NODE_ABILITIES) {
      const [set, found] = [this.#set[name], this.#found.get(name)]
      if (set !== undefined) abilities[name] = { value: set, source: 'set', learntAt: null }
      else if (found) abilities[name] = { value: found.has, source: 'learnt', learntAt: found.learntAt }
    }
    return { endpoint: this.#endpoint, limits, abilities }
  }

  /** What was learnt, to be kept. */
  findings(): readonly KeptFinding[] {
    const numbers = [...this.#learnt].map(([name, { value, learntAt }]) => ({ name, value, learntAt }))
    const abilities = [...this.#found].map(([name, { has, learntAt }]) => {
      return { name, value: Number(has), learntAt }
    })
    const lifted = [...this.#lifted].map(([name, learntAt]) => ({ name, value: 0, learntAt }))
    return [...numbers, ...abilities, ...lifted]
  }

  /** Takes up what an earlier process learnt, as if it had just been learnt. */
  restore(findings: readonly KeptFinding[]): void {
    const now = this.#now()
    const numbers: readonly string[] = NODE_LIMITS
    for (const { name, value, learntAt } of findings) {
      if (learntAt > now || learntAt < now - KEPT_MS) continue
      if (isOneOf(NODE_ABILITIES, name)) {
        if (!this.#found.has(name))
          this.#found.set(name, { has: value === 1, learntAt, until: now + ASK_AGAIN_MS })
      } else if (numbers.includes(name) && value >= 1 && !this.#learnt.has(name)) {
        this.#learnt.set(name, { value, learntAt, retryAt: now + RETRY_MS, waitMs: RETRY_MS })
      }
    }
  }
}

/** How much to try after a refusal that names no number. */
function nextBelow(limit: NodeLimit, asked: number): number {
  const half = Math.floor(asked / 2)
  if (limit !== 'simulationGas' && limit !== 'callGas') return half
  return USUAL_GAS.find((gas) => gas < asked) ?? half
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  const all: readonly string[] = names
  return all.includes(name)
}
