import type { Log } from '../ports/log.ts'
import type { Endpoint, EndpointFailedError } from './endpoint.ts'

/**
 * A URL that failed rests, each time twice as long: a second passes over a hiccup, and within a minute of its return
 * it is used again.
 */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** A URL's failures are logged at most once in this time. */
const QUIET_MS = 60_000

interface Rest {
  failures: number
  until: number
  probing: boolean
  /** Whether the failure was logged. If so, the recovery is logged too. */
  told: boolean
}

/**
 * The order in which a chain's URLs are asked: as configured, but those that are behind come later, and those that failed
 * lately last.
 *
 * A URL that failed rests, longer each time. It comes back only after a check in the background has passed,
 * so that no caller waits for a node that still hangs.
 */
export class EndpointPool {
  readonly #endpoints: readonly Endpoint[]
  readonly #chainId: number
  readonly #log: Log
  readonly #resting = new Map<Endpoint, Rest>()
  readonly #toldAt = new Map<Endpoint, number>()
  #behind: ReadonlySet<Endpoint> = new Set()

  constructor(options: { endpoints: readonly Endpoint[]; chainId: number; log: Log }) {
    this.#endpoints = options.endpoints
    this.#chainId = options.chainId
    this.#log = options.log
  }

  order(): readonly Endpoint[] {
    const current = this.#endpoints.filter((endpoint) => !this.#behind.has(endpoint))
    const inOrder = [...current, ...this.#behind]
    if (this.#resting.size === 0) return inOrder
    const ready = inOrder.filter((endpoint) => !this.#resting.has(endpoint))
    const resting = inOrder.filter((endpoint) => this.#resting.has(endpoint))
    if (ready.length > 0) for (const endpoint of resting) this.#probe(endpoint)
    return [...ready, ...resting]
  }

  /** Puts these last: they lack the newest blocks. */
  putLast(behind: readonly Endpoint[]): void {
    this.#behind = new Set(this.#endpoints.filter((endpoint) => behind.includes(endpoint)))
  }

  isResting(endpoint: Endpoint): boolean {
    return this.#resting.has(endpoint)
  }

  /** The URLs that do not rest, in their order. */
  working(): readonly Endpoint[] {
    return this.order().filter((endpoint) => !this.#resting.has(endpoint))
  }

  worked(endpoint: Endpoint): void {
    const rest = this.#resting.get(endpoint)
    if (rest === undefined) return
    this.#resting.delete(endpoint)
    if (rest.told) this.#log.info(`${endpoint.label} answers again`, { chainId: this.#chainId })
  }

  failed(endpoint: Endpoint, error: EndpointFailedError): void {
    const rest = this.#resting.get(endpoint)
    // The requests of one batch fail together, which counts as one failure.
    if (rest !== undefined && rest.until > Date.now()) return
    const failures = (rest?.failures ?? 0) + 1
    const usualMs = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS)
    // The node may say how long to wait before the next call.
    const restMs = Math.max(usualMs, error.waitMs ?? 0)
    const told = rest?.told ?? this.#tell(endpoint, error)
    this.#resting.set(endpoint, { failures, until: Date.now() + restMs, probing: false, told })
  }

  #tell(endpoint: Endpoint, { message, kind }: EndpointFailedError): boolean {
    const toldAt = this.#toldAt.get(endpoint)
    if (toldAt !== undefined && Date.now() - toldAt < QUIET_MS) return false
    this.#toldAt.set(endpoint, Date.now())
    this.#log.warn(message, { chainId: this.#chainId, kind, urls: this.#endpoints.length })
    return true
  }

  #probe(endpoint: Endpoint): void {
    const rest = this.#resting.get(endpoint)
    if (rest === undefined || rest.probing || rest.until > Date.now()) return
    rest.probing = true
    endpoint.check().then(
      () => this.worked(endpoint),
      (error: EndpointFailedError) => this.failed(endpoint, error),
    )
  }
}
