import { setTimeout as sleep } from 'node:timers/promises'
import { networkCause } from '@remit/engine/network/networkCause'
import { LEAST_SECRET_LENGTH, nodeSecretsOf } from '@remit/engine/network/urlSecrets'
import { AnswerTooLongError, boundedFetch, type FetchTarget, targetOf } from '@remit/engine/rpc/boundedFetch'
import { EndpointFailedError } from '@remit/engine/rpc/endpoint'
import { limitIn } from '@remit/engine/rpc/limits/limitIn'
import { type NodeAnswer, NodeBody } from '@remit/engine/rpc/nodeAnswer'
import { RpcResponseError, toResponseError } from '@remit/engine/rpc/refusal'
import type { OneNode } from '@remit/engine/rpc/rpc'
import * as z from 'zod'

/** After so many answers of "too many requests" a question is given up. */
const MOST_TRIES = 3
/** The longest wait between two of them, whatever the node asks for. */
const LONGEST_WAIT_MS = 5_000
/** The most that all questions to one node wait together. */
const MOST_WAITED_MS = 30_000

/**
 * One RPC URL for the doctor, which wants to see what the node itself does. The service's own way to ask nodes splits questions and
 * learns limits; this one sends each as it is, and again only where the node asks for fewer requests. No error holds the URL or its
 * keys.
 */
export class RawNode implements OneNode {
  readonly chainId: number
  readonly #to: FetchTarget
  readonly #secrets: readonly string[]
  readonly #timeoutMs: number
  #posts = 0
  #waitedMs = 0

  constructor(options: { url: string; chainId: number; timeoutMs: number }) {
    this.chainId = options.chainId
    this.#to = targetOf(options.url)
    // The longest first, because one may be a part of another that would then be replaced only in part.
    this.#secrets = nodeSecretsOf(options.url, LEAST_SECRET_LENGTH).toSorted((a, b) => b.length - a.length)
    this.#timeoutMs = options.timeoutMs
  }

  /** HTTP requests so far. */
  get posts(): number {
    return this.#posts
  }

  /** Throws RpcResponseError if the node refuses, and EndpointFailedError if it does not answer in a known form. */
  async request<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    const answer = await this.#ask({ jsonrpc: '2.0', id: 1, method, params })
    // By its schema, an answer may be a list, as that to a batch is.
    const single = [answer].flat()[0]
    if (single?.error !== undefined) throw toResponseError(this.#errorOf(single.error))
    const parsed = result.safeParse(single?.result)
    if (!parsed.success) throw new EndpointFailedError('unexpected', `answers ${method} in an unknown form`)
    return parsed.data
  }

  /**
   * Sends the same request `size` times in one batch.
   * @returns how many of them the node answered. An id that it answers twice counts once
   * @throws RpcResponseError if it refuses any, EndpointFailedError as `request` does
   */
  async batch(size: number, method: string, params: readonly unknown[]): Promise<number> {
    const calls = Array.from({ length: size }, (_, index) => ({
      jsonrpc: '2.0',
      id: index + 1,
      method,
      params,
    }))
    const answers = [await this.#ask(calls)].flat()
    const [refusal] = answers.flatMap(({ error }) => error ?? [])
    // `request` also tells from the message whether a block is unknown (`toResponseError`). Of a batch nobody asks that.
    if (refusal !== undefined) throw new RpcResponseError(this.#errorOf(refusal))
    return new Set(answers.map(({ id }) => id)).size
  }

  /** Waits where the node asks for fewer requests. Throws EndpointFailedError `limited` where that does not help. */
  async #ask(body: unknown): Promise<z.output<typeof NodeBody>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#post(body)
      if (!('waitMs' in answer)) return answer.body
      const waitMs = Math.min(answer.waitMs ?? tries * 1_000, LONGEST_WAIT_MS)
      this.#waitedMs += waitMs
      if (tries === MOST_TRIES || this.#waitedMs > MOST_WAITED_MS) {
        throw new EndpointFailedError('limited', 'refuses so many requests')
      }
      await sleep(waitMs)
    }
  }

  /** One HTTP request: the answer, or that the node asks to wait (`waitMs` where it says how long). */
  async #post(
    body: unknown,
  ): Promise<{ readonly body: z.output<typeof NodeBody> } | { readonly waitMs: number | undefined }> {
    this.#posts += 1
    const http = await boundedFetch(this.#to, JSON.stringify(body), this.#timeoutMs).catch(fail)
    const { status, text, retryAfter } = http
    const parsed = NodeBody.safeParse(parseJson(text))
    const [refusal] = parsed.success ? [parsed.data].flat().flatMap(({ error }) => error ?? []) : []
    const hit = limitIn({ ...refusal, status, retryAfter })
    if (hit?.kind === 'rate') return { waitMs: hit.waitMs }
    if (parsed.success) return { body: parsed.data }
    throw new EndpointFailedError(
      'unreachable',
      status < 300 ? 'does not answer in JSON-RPC' : `answers HTTP ${status}`,
    )
  }

  /** A refusal without the URL's keys, which nodes repeat in their messages. */
  #errorOf({ code, message: said, data }: NonNullable<NodeAnswer['error']>) {
    const message = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '<key>'), said)
    const hex = z.templateLiteral(['0x', z.string()]).safeParse(data)
    return { code, message, ...(hex.success ? { data: hex.data } : {}) }
  }
}

/** Throws what a failed HTTP request means, in words without the URL. */
function fail(error: unknown): never {
  if (error instanceof AnswerTooLongError) throw new EndpointFailedError('too long', 'answers too much')
  if (error instanceof Error && error.name === 'TimeoutError') {
    throw new EndpointFailedError('timeout', 'does not answer in time')
  }
  throw new EndpointFailedError('unreachable', `cannot be asked (${networkCause(error)})`)
}

/** `undefined` for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
