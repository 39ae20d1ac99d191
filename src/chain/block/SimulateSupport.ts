/** A node that lacked the method is asked for it again after so long: it may be another node by then. */
const ASK_AGAIN_MS = 10 * 60_000

/** Whether a chain's nodes have eth_simulateV1, learned once for everything that would use it. */
export class SimulateSupport {
  readonly #now: () => number
  #lackingUntil = Number.NEGATIVE_INFINITY

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get isLacking(): boolean {
    return this.#now() < this.#lackingUntil
  }

  noteLacking(): void {
    this.#lackingUntil = this.#now() + ASK_AGAIN_MS
  }
}
