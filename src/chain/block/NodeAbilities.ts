/** A finding is forgotten after so long, because another node may answer at the URL by then. */
const ASK_AGAIN_MS = 10 * 60_000

/** What some nodes can do and others cannot. */
export type Ability = 'takes a block by its hash' | 'has eth_simulateV1'

interface Finding {
  readonly has: boolean
  readonly until: number
}

/** What each of a chain's nodes was found to be able to do. */
export class NodeAbilities {
  readonly #now: () => number
  readonly #findings = new Map<string, Finding>()

  /** @param now a clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** `undefined` if it was never found out, or too long ago. */
  find(node: number, ability: Ability): boolean | undefined {
    const finding = this.#findings.get(`${node}:${ability}`)
    return finding !== undefined && this.#now() < finding.until ? finding.has : undefined
  }

  /** Whether this differs from what was found before, however long ago that was. */
  note(node: number, ability: Ability, has: boolean): boolean {
    const key = `${node}:${ability}`
    const isNew = this.#findings.get(key)?.has !== has
    this.#findings.set(key, { has, until: this.#now() + ASK_AGAIN_MS })
    return isNew
  }
}
