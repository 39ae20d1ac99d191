import { type Hex, isHex } from 'viem'
import * as z from 'zod'
import { networkCause } from '../network/networkCause.ts'
import type { NodeRequest } from '../ports/nodes.ts'
import { type ChainObserver, unobservedChains } from '../ports/nodes.ts'
import { BatchSender, PostFailedError, type RequestAnswer } from './BatchSender.ts'
import { AnswerTooLongError } from './boundedFetch.ts'
import { limitIn } from './limits/limitIn.ts'
import type { NodeLimits } from './limits/NodeLimits.ts'
import { RequestSender } from './RequestSender.ts'

/** What a node said: a result, or an error of its own. `post` counts the HTTP requests to this URL, from 1: the one it came in. */
export type EndpointAnswer = { readonly post: number } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Hex } }
)

/** No usable node answered at this URL. The message names the URL by its number, because a URL may hold a key. */
export class EndpointFailedError extends Error {
  override readonly name = 'EndpointFailedError'
  /**
   * `limited`: it asks for fewer requests. `malformed`: it speaks no JSON-RPC, or names no chain. With `unexpected` and `too long`
   * the node works, but this one answer has an unusable form or size.
   */
  readonly kind:
    | 'timeout'
    | 'unreachable'
    | 'limited'
    | 'malformed'
    | 'wrong chain'
    | 'unexpected'
    | 'too long'
  /** How long the node asks not to be called, if it says so. */
  readonly waitMs: number | undefined

  constructor(kind: EndpointFailedError['kind'], message: string, waitMs?: number) {
    super(message)
    this.kind = kind
    this.waitMs = waitMs
  }
}

const ChainIdAnswer = z.string().regex(/^0x[0-9a-f]{1,14}$/i)

/**
 * One RPC URL, whose requests made in one tick share one HTTP request, or a function that asks a node.
 *
 * It is asked for its chain beside its first request, and again after it failed: a node on another chain would answer every
 * read plausibly and wrongly, so nothing that it says is used before.
 */
export class Endpoint {
  readonly label: string
  /** What is known of the node. */
  readonly limits: NodeLimits
  readonly #chainId: number
  /** The URL's place among the chain's, from 1. */
  readonly #position: number
  readonly #observer: ChainObserver
  readonly #sender: { send(method: string, params: readonly unknown[]): Promise<RequestAnswer> }
  /** The check of the chain, under way or passed; `undefined` before the first and after a failure, so that the next request checks. */
  #onChain: Promise<void> | undefined
  #foreignChainId: number | undefined

  /** @param options.position the URL's place among the chain's, from 1 */
  constructor(options: {
    url: string | NodeRequest
    position: number
    chainId: number
    timeoutMs: number
    limits: NodeLimits
    observer?: ChainObserver
  }) {
    this.#position = options.position
    this.#observer = options.observer ?? unobservedChains
    this.label = `RPC ${options.position} of chain ${options.chainId}`
    this.#chainId = options.chainId
    this.limits = options.limits
    const { url } = options
    this.#sender = typeof url === 'string' ? new BatchSender({ ...options, url }) : new RequestSender(url)
  }

  /** Throws EndpointFailedError if no node of this chain answered. */
  async request(method: string, params: readonly unknown[]): Promise<EndpointAnswer> {
    try {
      // Both go in one HTTP request. The answer is nobody's before the chain is known.
      const [, answer] = await Promise.all([this.check(), this.#ask(method, params)])
      return answer
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

  async #ask(method: string, params: readonly unknown[]): Promise<EndpointAnswer> {
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

  async #answerOf(method: string, params: readonly unknown[]): Promise<EndpointAnswer> {
    const { answer, post } = await this.#sender.send(method, params).catch((error: unknown) => {
      throw this.#translate(error)
    })
    const { error, result } = answer
    if (error === undefined) return { result: result ?? null, post }
    const { code, message } = error
    const hit = limitIn(error)
    if (hit?.kind === 'rate') throw this.#failed('limited', `refused with code ${code}`, hit.waitMs)
    const data = revertData(error.data)
    return { error: { code, message, ...(data === undefined ? {} : { data }) }, post }
  }

  /** What a sender throws, as the failure of this URL. */
  #translate(error: unknown): EndpointFailedError {
    if (error instanceof PostFailedError) return this.#refused(error)
    if (error instanceof AnswerTooLongError) return this.#failed('too long', 'answered too much')
    if (error instanceof Error && error.name === 'TimeoutError') {
      return this.#failed('timeout', 'did not answer in time')
    }
    return this.#failed('unreachable', `could not be asked (${networkCause(error)})`)
  }

  #refused({ status, hit, message }: PostFailedError): EndpointFailedError {
    if (hit?.kind === 'rate') return this.#failed('limited', message, hit.waitMs)
    if (hit?.kind === 'body' || hit?.kind === 'answer') return this.#failed('too long', message)
    return this.#failed(status < 300 ? 'malformed' : 'unreachable', message)
  }

  #failed(kind: EndpointFailedError['kind'], what: string, waitMs?: number): EndpointFailedError {
    return new EndpointFailedError(kind, `${this.label} ${what}`, waitMs)
  }
}

/** Revert data as nodes give it: a string, a string behind a word ("Reverted 0x…"), or in an object; `undefined` where there is none. */
function revertData(data: unknown): Hex | undefined {
  if (typeof data === 'string') {
    const hex = data.replace(/^Reverted\s+/, '')
    return isHex(hex) ? hex : undefined
  }
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data)
  return undefined
}
