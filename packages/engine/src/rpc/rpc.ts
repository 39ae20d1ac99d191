import type * as z from 'zod'
import { UpstreamError, UpstreamTimeoutError } from '../errors/chain.ts'
import type { Log } from '../ports/log.ts'
import type { ChainObserver, NodeRequest, SetLimits } from '../ports/nodes.ts'
import { untilAborted } from '../waiting/untilAborted.ts'
import { within } from '../waiting/within.ts'
import { Endpoint, EndpointFailedError } from './endpoint.ts'
import { NodeLimits } from './limits/NodeLimits.ts'
import { recourseOf, refusalIn, toResponseError } from './refusal.ts'

// How a chain's nodes are asked: `createRpc`, and below it the pool that says in which order its URLs come (`EndpointPool`).
// A node is one RPC URL here (`Endpoint`), even if several nodes answer behind it ("replicas"). One question goes through the URLs in
// order until one answers (a round). If none does and waiting may help, another round follows after a pause. What a node itself refuses,
// such as a call that reverts, ends the question at once where every node would say the same (`recourseOf`).

interface RequestOptions {
  /** The caller's: aborting it ends the wait. */
  readonly signal?: AbortSignal
  /** Is told which HTTP request to its URL the answer came in, counted from 1, so that a caller sees whether two answers came together. */
  readonly onPost?: (post: number) => void
}

/** A chain's nodes, asked by JSON-RPC. */
export interface Rpc {
  readonly chainId: number
  /**
   * Asks, and parses what comes back. Requests made in one tick share one HTTP request.
   *
   * Throws RpcResponseError if the node refused (a revert, say), which `refusalIn` reads. Throws UpstreamError or
   * UpstreamTimeoutError if no node gave an answer that fits the schema.
   */
  request<T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodType<T>,
    options?: RequestOptions,
  ): Promise<T>
  /** How many nodes there are. */
  readonly count: number
  /** The nodes that did not fail lately, by their place from 0, in order of preference. */
  working(): readonly number[]
  /** Has these nodes, by their place from 0, asked last: they lack the newest blocks. */
  putLast(behind: readonly number[]): void
  /** What is known of one of the nodes, by its place from 0. */
  limits(node: number): NodeLimits
  /** The chain id that the nodes name, if none of them is on this chain. Never asks. */
  foreignChainId(): number | undefined
  /**
   * Runs `use` with a single node, so that all its answers come from that node: `node` if one is given, else the
   * first that works. If that one gives no answer, `use` runs again with the next. Throws what `request` throws, and
   * what `use` throws itself.
   */
  withNode<T>(
    use: (one: OneNode, node: number) => Promise<T>,
    options?: { node?: number | undefined; signal?: AbortSignal },
  ): Promise<T>
}

/** One node of a chain. Requests made in one tick share one HTTP request. */
export type OneNode = Pick<Rpc, 'chainId' | 'request'>

interface Question<T> {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: z.ZodType<T>
  readonly signal: AbortSignal | undefined
  readonly onPost: ((post: number) => void) | undefined
}

/** A node takes some seconds for the largest simulation. After this time another one is asked. */
export const RPC_TIMEOUT_MS = 10_000

/** How often all URLs are asked where none answers. */
const RETRY_ROUNDS = 3
/** The same where one of them answered that it cannot at present. */
const REFUSED_ROUNDS = 2
/** The pause before the second round of all URLs; three times as long before each further one. */
const FIRST_BACKOFF_MS = 100
/** The pause before a URL is asked again for a block that it lacks: another node behind the same URL may have it. */
const REPLICA_MS = 30
/** How often to ask a URL for such a block, where several nodes are known to answer there. */
const REPLICA_ROUNDS = 6

/**
 * Asks a chain over its URLs, the first that works.
 * @param options.urls a function stands for a node that has none
 * @param options.timeoutMs for one request, its retries and other URLs included
 * @param options.limits what is set of each node, in the order of the URLs. A single one holds for all
 */
export function createRpc(options: {
  chainId: number
  urls: readonly (string | NodeRequest)[]
  timeoutMs?: number
  log: Log
  observer?: ChainObserver
  limits?: readonly SetLimits[]
}): Rpc {
  const { chainId, urls, log, timeoutMs = RPC_TIMEOUT_MS, observer, limits: set = [] } = options
  // With more than one URL, a hanging one must leave time to ask the next.
  const attemptMs = urls.length > 1 ? Math.ceil(timeoutMs / 2) : timeoutMs
  const endpoints = urls.map(
    (url, index) =>
      new Endpoint({
        url,
        position: index + 1,
        chainId,
        timeoutMs: attemptMs,
        limits: new NodeLimits({
          endpoint: index + 1,
          set: (set.length === 1 ? set[0] : set[index]) ?? {},
        }),
        ...(observer === undefined ? {} : { observer }),
      }),
  )
  const pool = new EndpointPool({ endpoints, chainId, log })

  return {
    chainId,
    count: endpoints.length,
    working: () => pool.working().map((endpoint) => endpoints.indexOf(endpoint)),
    putLast: (behind) => pool.putLast(endpoints.filter((_, node) => behind.includes(node))),
    limits(node) {
      const endpoint = endpoints[node]
      if (endpoint === undefined) throw new RangeError(`chain ${chainId} has no node ${node}`)
      return endpoint.limits
    },
    foreignChainId() {
      const areForeign = endpoints.every(({ foreignChainId }) => foreignChainId !== undefined)
      return areForeign ? endpoints[0]?.foreignChainId : undefined
    },
    request: (method, params, result, { signal, onPost } = {}) =>
      inTime(signal, (stopped) =>
        ask((endpoint) => askOne(endpoint, { method, params, result, signal, onPost }), stopped),
      ),
    withNode: (use, { node, signal } = {}) =>
      inTime(signal, (stopped) =>
        ask((endpoint) => use(only(endpoint), endpoints.indexOf(endpoint)), stopped, node),
      ),
  }

  /** One URL as `withNode` hands it out. Its requests have no rounds of their own: after a failure, `use` runs again as a whole. */
  function only(endpoint: Endpoint): OneNode {
    return {
      chainId,
      request: (method, params, result, { signal, onPost } = {}) =>
        askOne(endpoint, { method, params, result, signal, onPost }),
    }
  }

  /** Bounds the work by time and the caller's signal, and turns URLs' failures into errors for callers. */
  async function inTime<T>(
    signal: AbortSignal | undefined,
    work: (stopped: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const attempts = new AbortController()
    const late = () => new DeadlineError(`no answer within ${timeoutMs} ms`)
    try {
      return await untilAborted(signal, within(timeoutMs, work(attempts.signal), late))
    } catch (error) {
      if (error instanceof EndpointFailedError) {
        throw error.kind === 'timeout'
          ? new UpstreamTimeoutError(chainId, { cause: error })
          : new UpstreamError(chainId, { cause: error })
      }
      if (error instanceof DeadlineError) throw new UpstreamTimeoutError(chainId, { cause: error })
      throw error
    } finally {
      attempts.abort()
    }
  }

  /**
   * Asks one URL after the other, in rounds. Throws the last failure.
   * @param node the only one to ask. It is asked once if there are others, which the caller can ask next
   */
  async function ask<T>(
    one: (endpoint: Endpoint) => Promise<T>,
    stopped: AbortSignal,
    node?: number,
  ): Promise<T> {
    const chosen = node === undefined ? undefined : endpoints.slice(node, node + 1)
    const isOneOfOthers = chosen !== undefined && endpoints.length > 1
    const begun = performance.now()
    /** URLs that did not have the block. If one has it later, several nodes answer there. */
    const lacked = new Set<Endpoint>()
    for (let round = 1; ; round++) {
      let last: unknown = new EndpointFailedError('unreachable', `chain ${chainId} has no RPC URL`)
      /** Whether another round may help, and whether a node has answered at all, if with a refusal. */
      let mayHelp = false
      let isAnswered = false
      for (const endpoint of chosen ?? pool.order()) {
        if (stopped.aborted) throw last
        // URLs that failed lately are left out once all others say that they lack the method.
        if (isAnswered && !mayHelp && pool.isResting(endpoint)) break
        try {
          const answer = await one(endpoint)
          if (lacked.has(endpoint)) endpoint.limits.found('replicas', true)
          return answer
        } catch (error) {
          const recourse = recourseAfter(error)
          if (recourse === 'none') throw error
          last = error
          mayHelp ||= recourse === 'again'
          isAnswered ||= refusalIn(error) !== undefined
          if (refusalIn(error)?.kind === 'unknownBlock') lacked.add(endpoint)
        }
      }
      const pauseMs = pauseAfter(last, round)
      // The node's error says more than a time-out in the middle of the pause would.
      const isLate = performance.now() - begun + pauseMs >= timeoutMs
      if (!mayHelp || isOneOfOthers || round >= mostRounds(last, lacked) || isLate) throw last
      // Unlike `pause` this keeps a program alive that waits for nothing else.
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Asks one URL, once, and tells the pool whether it worked. */
  async function askOne<T>(endpoint: Endpoint, question: Question<T>): Promise<T> {
    const { method, params, result, signal, onPost } = question
    try {
      const answer = await endpoint.request(method, params)
      onPost?.(answer.post)
      if ('error' in answer) throw toResponseError(answer.error)
      const parsed = result.safeParse(answer.result)
      if (!parsed.success) {
        throw new EndpointFailedError('unexpected', `${endpoint.label} answers ${method} in an unknown form`)
      }
      pool.worked(endpoint)
      return parsed.data
    } catch (error) {
      // After the caller has gone, as in a shutdown, a lost connection is nobody's failure.
      const isNodeFailure = error instanceof EndpointFailedError && !isUnexpected(error) && !signal?.aborted
      if (isNodeFailure) pool.failed(endpoint, error)
      throw error
    }
  }
}

/** Who may still answer after an error: nobody, the other URLs, or this one again. */
function recourseAfter(error: unknown): ReturnType<typeof recourseOf> {
  const refusal = refusalIn(error)
  if (refusal !== undefined) return recourseOf(refusal)
  if (!(error instanceof EndpointFailedError)) return 'none'
  return isUnexpected(error) ? 'others' : 'again'
}

/** How often all URLs are asked. @param lacked the URLs that do not have the block */
function mostRounds(last: unknown, lacked: ReadonlySet<Endpoint>): number {
  const refusal = refusalIn(last)
  if (refusal === undefined) return RETRY_ROUNDS
  if (refusal.kind !== 'unknownBlock') return REFUSED_ROUNDS
  const areMany = [...lacked].some(({ limits }) => limits.can('replicas') === true)
  return areMany ? REPLICA_ROUNDS : RETRY_ROUNDS
}

/** The pause before the next round, in milliseconds, spread so that callers do not ask all at once. */
function pauseAfter(last: unknown, round: number): number {
  const firstMs = refusalIn(last)?.kind === 'unknownBlock' ? REPLICA_MS : FIRST_BACKOFF_MS * 3 ** (round - 1)
  const wantedMs = last instanceof EndpointFailedError ? (last.waitMs ?? 0) : 0
  return Math.max(firstMs * (0.75 + Math.random() / 2), wantedMs)
}

/** Whether the node works and only this answer cannot be used. */
function isUnexpected(error: EndpointFailedError): boolean {
  return error.kind === 'unexpected' || error.kind === 'too long'
}

class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * A URL that failed rests, each time twice as long: a second passes over a hiccup, and within a minute of its return
 * it is used again.
 */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** A URL's failures are logged at most once in this time. */
const QUIET_MS = 60_000

/** The rest of a URL that failed. */
interface Rest {
  /** In a row. */
  failures: number
  /** Unix milliseconds. */
  until: number
  /** Whether it is being checked in the background. */
  probing: boolean
  /** Whether the failure was logged. If so, the recovery is logged too. */
  isLogged: boolean
}

/**
 * The order in which a chain's URLs are asked: as configured, but those that are behind come later, and those that failed
 * lately last.
 *
 * A URL that failed rests, longer each time. It comes back only after a check in the background has passed,
 * so that no caller waits for a node that still hangs.
 */
class EndpointPool {
  readonly #endpoints: readonly Endpoint[]
  readonly #chainId: number
  readonly #log: Log
  readonly #resting = new Map<Endpoint, Rest>()
  readonly #loggedAt = new Map<Endpoint, number>()
  #behind: ReadonlySet<Endpoint> = new Set()

  constructor(options: { endpoints: readonly Endpoint[]; chainId: number; log: Log }) {
    this.#endpoints = options.endpoints
    this.#chainId = options.chainId
    this.#log = options.log
  }

  /** All URLs, in the order to ask them. Begins the checks of those whose rest is over, where another one works meanwhile. */
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

  /** Takes note that a URL answered: it rests no more. */
  worked(endpoint: Endpoint): void {
    const rest = this.#resting.get(endpoint)
    if (rest === undefined) return
    this.#resting.delete(endpoint)
    if (rest.isLogged) this.#log.info(`${endpoint.label} answers again`, { chainId: this.#chainId })
  }

  /** Takes note that a URL failed: it rests from now on, twice as long as the last time. */
  failed(endpoint: Endpoint, error: EndpointFailedError): void {
    const rest = this.#resting.get(endpoint)
    // The requests of one batch fail together, which counts as one failure.
    if (rest !== undefined && rest.until > Date.now()) return
    const failures = (rest?.failures ?? 0) + 1
    const usualMs = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS)
    // The node may say how long to wait before the next call.
    const restMs = Math.max(usualMs, error.waitMs ?? 0)
    const isLogged = rest?.isLogged ?? this.#logFailure(endpoint, error)
    this.#resting.set(endpoint, { failures, until: Date.now() + restMs, probing: false, isLogged })
  }

  #logFailure(endpoint: Endpoint, { message, kind }: EndpointFailedError): boolean {
    const loggedAt = this.#loggedAt.get(endpoint)
    if (loggedAt !== undefined && Date.now() - loggedAt < QUIET_MS) return false
    this.#loggedAt.set(endpoint, Date.now())
    this.#log.warn(message, { chainId: this.#chainId, kind, urls: this.#endpoints.length })
    return true
  }

  /** Checks a URL whose rest is over, in the background. */
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
