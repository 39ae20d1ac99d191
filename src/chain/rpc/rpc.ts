import type { Hex } from 'viem'
import type * as z from 'zod'
import type { Log } from '../../core/ports/log.ts'
import type { ChainObserver } from '../../core/ports/telemetry.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { Endpoint, EndpointFailedError } from './endpoint.ts'
import { EndpointRota } from './endpointRota.ts'
import { untilAborted } from './untilAborted.ts'

/** A chain's nodes, asked by JSON-RPC. */
export interface Rpc {
  readonly chainId: number
  /**
   * Asks, and parses what comes back. Requests made in one tick share one HTTP request.
   *
   * Throws RpcResponseError where the node answered and said no (a revert, say), UpstreamError or
   * UpstreamTimeoutError where nobody gave an answer that fits the schema.
   */
  request<T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodType<T>,
    options?: { signal?: AbortSignal },
  ): Promise<T>
  /** How many nodes there are. */
  readonly count: number
  /** The nodes (by their place, from 0) that did not fail lately, in order of preference. */
  working(): readonly number[]
  /** The chain that a node says it is on, where all of them are on another one than this; never asks. */
  foreignChainId(): number | undefined
  /**
   * Lets `use` ask one node only, for answers that belong together: the first that works, the next where that
   * one gave no answer, or just `node`. `use` may run more than once. Throws as `request` does, and whatever
   * `use` throws of its own.
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

/** The node answered and said no. Where that is a revert, `data` is its raw data. */
export class RpcResponseError extends Error {
  override readonly name: string = 'RpcResponseError'
  readonly code: number
  readonly data: Hex | undefined

  constructor(error: { code: number; message: string; data?: Hex }) {
    super(error.message)
    this.code = error.code
    this.data = error.data
  }
}

/** The node does not know the block asked for: it was reorganised away, or the node lags behind. */
export class UnknownBlockError extends RpcResponseError {
  override readonly name = 'UnknownBlockError'
}

/** The node lacks the method, or refuses what another node may grant. */
const ELSEWHERE_CODES = new Set([-32601, -32004, -32603])

/**
 * How nodes say that they do not have a block or its state: no code for it is shared by all.
 * geth: "header not found", "hash is not currently canonical"; anvil: "Resource not found",
 * "BlockOutOfRangeError"; others: "unknown block", "block … could not be found".
 */
const UNKNOWN_BLOCK =
  /block\s?(not\s?found|out\s?of\s?range)|header (for hash )?not found|resource not found|unknown block|not currently canonical|block .{0,80}(not found|not exist|unavailable)|(block|resource|header).{0,80}could not be found|missing trie node|state .{0,80}not available/i

const RETRY_ROUNDS = 3
const FIRST_BACKOFF_MS = 100

/**
 * Makes the one way to ask a chain: over all of its URLs, the first that works.
 * @param options.timeoutMs for one request, all its retries and other URLs included
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
  const rota = new EndpointRota({ endpoints, chainId, log })

  return {
    chainId,
    count: endpoints.length,
    working: () => rota.working().map((endpoint) => endpoints.indexOf(endpoint)),
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

  /** @param node the only one to be asked; once, where there are others that its caller may go on to */
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
        // What is known already says more than a deadline in the middle of a pause.
        if (performance.now() - begun + backoffMs >= timeoutMs) break
        await pause(backoffMs)
      }
      for (const endpoint of chosen ?? rota.order()) {
        if (stopped.aborted) throw last
        try {
          return await one(endpoint)
        } catch (error) {
          const isNo = error instanceof RpcResponseError && !isElsewhere(error)
          if (isNo || !(error instanceof RpcResponseError || error instanceof EndpointFailedError))
            throw error
          last = error
        }
      }
      // A node that answered will say the same again: only silence is worth another round.
      if (last instanceof RpcResponseError || isUnexpected(last)) throw last
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
      rota.worked(endpoint)
      return parsed.data
    } catch (error) {
      // Once whoever asked has left (a process that shuts down, say), it is no news that the node has too.
      const isNews = error instanceof EndpointFailedError && !isUnexpected(error) && !signal?.aborted
      if (isNews) rota.failed(endpoint, error)
      throw error
    }
  }
}

function toResponseError(error: { code: number; message: string; data?: Hex }): RpcResponseError {
  // A revert's text is the contract's own and may say anything.
  const isRevert = error.data !== undefined || /revert/i.test(error.message)
  return !isRevert && UNKNOWN_BLOCK.test(error.message)
    ? new UnknownBlockError(error)
    : new RpcResponseError(error)
}

/** Whether another node may well answer what this one did not. */
function isElsewhere(error: RpcResponseError): boolean {
  return error instanceof UnknownBlockError || (ELSEWHERE_CODES.has(error.code) && error.data === undefined)
}

/** The node works; the one answer is of no use. */
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
