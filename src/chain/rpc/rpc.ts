import type * as z from 'zod'
import type { Log } from '../../core/ports/log.ts'
import type { ChainObserver } from '../../core/ports/telemetry.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { EndpointPool } from './EndpointPool.ts'
import { Endpoint, EndpointFailedError } from './endpoint.ts'
import { mayBeAnsweredElsewhere, refusalIn, toResponseError } from './refusal.ts'
import { untilAborted } from './untilAborted.ts'

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
    options?: { signal?: AbortSignal },
  ): Promise<T>
  /** How many nodes there are. */
  readonly count: number
  /** The nodes that did not fail lately, by their place from 0, in order of preference. */
  working(): readonly number[]
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
}

const RETRY_ROUNDS = 3
const FIRST_BACKOFF_MS = 100

/**
 * Asks a chain over its URLs, the first that works.
 * @param options.timeoutMs for one request, its retries and other URLs included
 */
export function createRpc(options: {
  chainId: number
  urls: readonly string[]
  timeoutMs?: number
  log: Log
  observer?: ChainObserver
}): Rpc {
  const { chainId, urls, log, timeoutMs = 10_000, observer } = options
  // With more than one URL, a hanging one must leave time to ask the next.
  const attemptMs = urls.length > 1 ? Math.ceil(timeoutMs / 2) : timeoutMs
  const endpoints = urls.map(
    (url, index) =>
      new Endpoint({
        url,
        position: index + 1,
        chainId,
        timeoutMs: attemptMs,
        ...(observer === undefined ? {} : { observer }),
      }),
  )
  const pool = new EndpointPool({ endpoints, chainId, log })

  return {
    chainId,
    count: endpoints.length,
    working: () => pool.working().map((endpoint) => endpoints.indexOf(endpoint)),
    foreignChainId() {
      const areForeign = endpoints.every(({ foreignChainId }) => foreignChainId !== undefined)
      return areForeign ? endpoints[0]?.foreignChainId : undefined
    },
    request: (method, params, result, { signal } = {}) =>
      inTime(signal, (stopped) =>
        ask((endpoint) => askOne(endpoint, { method, params, result, signal }), stopped),
      ),
    withNode: (use, { node, signal } = {}) =>
      inTime(signal, (stopped) =>
        ask((endpoint) => use(only(endpoint), endpoints.indexOf(endpoint)), stopped, node),
      ),
  }

  function only(endpoint: Endpoint): OneNode {
    return {
      chainId,
      request: (method, params, result, { signal } = {}) =>
        askOne(endpoint, { method, params, result, signal }),
    }
  }

  async function inTime<T>(
    signal: AbortSignal | undefined,
    work: (stopped: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const attempts = new AbortController()
    try {
      return await untilAborted(signal, within(timeoutMs, work(attempts.signal)))
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

  /** @param node the only one to ask. It is asked once if there are others, which the caller can ask next. */
  async function ask<T>(
    one: (endpoint: Endpoint) => Promise<T>,
    stopped: AbortSignal,
    node?: number,
  ): Promise<T> {
    let last: unknown = new EndpointFailedError('unreachable', `chain ${chainId} has no RPC URL`)
    const chosen = node === undefined ? undefined : endpoints.slice(node, node + 1)
    const rounds = chosen !== undefined && endpoints.length > 1 ? 1 : RETRY_ROUNDS
    const begun = performance.now()
    for (let round = 0; round < rounds && endpoints.length > 0; round++) {
      if (round > 0) {
        const backoffMs = FIRST_BACKOFF_MS * 3 ** (round - 1) * (0.75 + Math.random() / 2)
        // The node's error says more than a time-out in the middle of the pause would.
        if (performance.now() - begun + backoffMs >= timeoutMs) break
        await pause(backoffMs)
      }
      for (const endpoint of chosen ?? pool.order()) {
        if (stopped.aborted) throw last
        try {
          return await one(endpoint)
        } catch (error) {
          const refusal = refusalIn(error)
          const isElsewhere =
            refusal === undefined ? error instanceof EndpointFailedError : mayBeAnsweredElsewhere(refusal)
          if (!isElsewhere) throw error
          last = error
        }
      }
      // A node that answered will answer the same again, so only silence is worth another round.
      if (refusalIn(last) !== undefined || isUnexpected(last)) throw last
    }
    throw last
  }

  async function askOne<T>(endpoint: Endpoint, question: Question<T>): Promise<T> {
    const { method, params, result, signal } = question
    try {
      const answer = await endpoint.request(method, params)
      if ('error' in answer) throw toResponseError(answer.error)
      const parsed = result.safeParse(answer.result)
      if (!parsed.success) {
        throw new EndpointFailedError('unexpected', `${endpoint.label} answers ${method} in an unknown form`)
      }
      pool.worked(endpoint)
      return parsed.data
    } catch (error) {
      // After the caller has left, as in a shutdown, a lost connection is not the node's failure.
      const isNodeFailure = error instanceof EndpointFailedError && !isUnexpected(error) && !signal?.aborted
      if (isNodeFailure) pool.failed(endpoint, error)
      throw error
    }
  }
}

/** Whether the node works and only this answer cannot be used. */
function isUnexpected(error: unknown): boolean {
  return error instanceof EndpointFailedError && (error.kind === 'unexpected' || error.kind === 'too long')
}

class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
