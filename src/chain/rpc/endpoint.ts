import { BaseError, type Hex, HttpRequestError, http, isHex, TimeoutError } from 'viem'
import * as z from 'zod'
import { type ChainObserver, unobservedChains } from '../../core/ports/telemetry.ts'
import { currentTrace } from '../../core/RequestTrace.ts'
import { networkCause } from '../../core/upstream/networkCause.ts'
import { AnswerTooLongError, boundedFetch } from './boundedFetch.ts'
import { isRangeRefusal } from './logsRefusal.ts'

/** What a node said: a result, or its own "no". */
export type NodeAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Hex } }

/** No usable node answered at this URL. The message names the URL by its number, because a URL may hold a key. */
export class EndpointFailedError extends Error {
  override readonly name = 'EndpointFailedError'
  /** With `unexpected` and `too long` the node works, but this one answer has an unusable form or size. */
  readonly kind:
    | 'timeout'
    | 'unreachable'
    | 'limited'
    | 'malformed'
    | 'wrong chain'
    | 'unexpected'
    | 'too long'

  constructor(kind: EndpointFailedError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Public nodes limit a batch to a hundred requests or more. One of our answers needs a few dozen. */
const BATCH_SIZE = 40

/** Codes by which nodes say "too many requests" in an answer of status 200. */
const LIMIT_CODES = new Set([429, -32005, -32007, -32016])

const RawAnswer = z.object({
  result: z.unknown(),
  error: z
    .looseObject({ code: z.number(), message: z.string(), data: z.unknown() })
    .partial({ data: true })
    .optional(),
})

const ChainIdAnswer = z.string().regex(/^0x[0-9a-f]{1,14}$/i)

/**
 * One RPC URL. Requests made in one tick share one HTTP request.
 *
 * It is asked for its chain before its first use, and again after it failed: a node on another chain would
 * answer every read plausibly and wrongly.
 */
export class Endpoint {
  readonly label: string
  readonly #chainId: number
  readonly #position: number
  readonly #observer: ChainObserver
  readonly #send: (method: string, params: readonly unknown[]) => Promise<unknown>
  #onChain: Promise<void> | undefined
  #foreignChainId: number | undefined

  /** @param options.position the URL's place among the chain's, from 1 */
  constructor(options: {
    url: string
    position: number
    chainId: number
    timeoutMs: number
    observer?: ChainObserver
  }) {
    this.#position = options.position
    this.#observer = options.observer ?? unobservedChains
    this.label = `RPC ${options.position} of chain ${options.chainId}`
    this.#chainId = options.chainId
    const transport = http(options.url, {
      batch: { batchSize: BATCH_SIZE, wait: 0 },
      fetchFn: boundedFetch(options.timeoutMs),
      raw: true,
      // rpc.ts retries, because it knows the other URLs.
      retryCount: 0,
      timeout: options.timeoutMs,
    })({})
    this.#send = (method, params) => transport.request({ method, params })
  }

  /** Throws EndpointFailedError if no node of this chain answered. */
  async request(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    await this.check()
    try {
      return await this.#ask(method, params)
    } catch (error) {
      this.#onChain = undefined
      throw error
    }
  }

  /** The chain id that the node named when it was last asked, if it is not ours. */
  get foreignChainId(): number | undefined {
    return this.#foreignChainId
  }

  /** Makes sure, once, that the node is on the chain that it was configured for. */
  check(): Promise<void> {
    this.#onChain ??= this.#checkChain().catch((error: unknown) => {
      this.#onChain = undefined
      throw error
    })
    return this.#onChain
  }

  async #checkChain(): Promise<void> {
    const answer = await this.#ask('eth_chainId', [])
    const chainId = 'result' in answer ? ChainIdAnswer.safeParse(answer.result) : undefined
    if (!chainId?.success) throw this.#failed('malformed', 'does not tell its chain id')
    const isOurs = Number(chainId.data) === this.#chainId
    this.#foreignChainId = isOurs ? undefined : Number(chainId.data)
    if (!isOurs) {
      throw this.#failed('wrong chain', `is on chain ${Number(chainId.data)}`)
    }
  }

  async #ask(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    currentTrace()?.askedUpstream()
    const begun = performance.now()
    let failure: EndpointFailedError['kind'] | undefined
    try {
      return await this.#answerOf(method, params)
    } catch (error) {
      if (error instanceof EndpointFailedError) failure = error.kind
      throw error
    } finally {
      const durationMs = performance.now() - begun
      this.#observer.upstreamAsked({ chainId: this.#chainId, endpoint: this.#position, failure, durationMs })
    }
  }

  async #answerOf(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    let raw: unknown
    try {
      raw = await this.#send(method, params)
    } catch (error) {
      throw this.#translate(error)
    }
    const answer = RawAnswer.safeParse(raw)
    if (!answer.success) throw this.#failed('malformed', 'does not answer in JSON-RPC')
    const { error, result } = answer.data
    if (error === undefined) return { result: result ?? null }
    // The same codes also mean "too many results", where waiting does not help.
    if (LIMIT_CODES.has(error.code) && !isRangeRefusal(error))
      throw this.#failed('limited', `refused with code ${error.code}`)
    const data = revertData(error.data)
    return { error: { code: error.code, message: error.message, ...(data === undefined ? {} : { data }) } }
  }

  #translate(error: unknown): EndpointFailedError {
    if (error instanceof TimeoutError || (error instanceof Error && error.name === 'TimeoutError')) {
      return this.#failed('timeout', 'did not answer in time')
    }
    if (error instanceof HttpRequestError && error.status !== undefined) {
      return this.#failed(error.status === 429 ? 'limited' : 'unreachable', `answered HTTP ${error.status}`)
    }
    // viem's own text of an error quotes the URL; the text of what caused it does not.
    const cause = error instanceof BaseError ? error.walk() : error
    if (cause instanceof Error && cause.name === 'TimeoutError') {
      return this.#failed('timeout', 'did not answer in time')
    }
    if (cause instanceof AnswerTooLongError) return this.#failed('too long', 'answered too much')
    return this.#failed('unreachable', `could not be asked (${networkCause(error)})`)
  }

  #failed(kind: EndpointFailedError['kind'], what: string): EndpointFailedError {
    return new EndpointFailedError(kind, `${this.label} ${what}`)
  }
}

/** Nodes put revert data as a string, behind a word ("Reverted 0x…"), or in an object of their own. */
function revertData(data: unknown): Hex | undefined {
  if (typeof data === 'string') {
    const hex = data.replace(/^Reverted\s+/, '')
    return isHex(hex) ? hex : undefined
  }
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data)
  return undefined
}
