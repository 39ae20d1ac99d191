import type { ChainObserver } from '../ports/nodes.ts'
import {
  AnswerTooLongError,
  boundedFetch,
  type FetchTarget,
  type HttpAnswer,
  targetOf,
} from './boundedFetch.ts'
import { type LimitHit, limitIn, SHORT_BODY_BYTES } from './limits/limitIn.ts'
import type { NodeLimits } from './limits/NodeLimits.ts'
import { type NodeAnswer, NodeBody } from './nodeAnswer.ts'
import { isSameFromEveryNode } from './refusal.ts'

/** How many requests go to a node in one HTTP request at most. One of our answers needs a few dozen. */
export const MOST_REQUESTS = 40

/** The HTTP statuses with which some nodes send a JSON-RPC error. */
const NODE_STATUSES = new Set([400, 404, 405, 413, 422])
/** The HTTP statuses of proxies: they say nothing about the request, whatever the body holds. */
const NOT_OF_THE_NODE = new Set([401, 403, 407, 408, 502, 503, 504])

/** What came back for one request. */
export interface RequestAnswer {
  /** The node’s result, or its error. */
  readonly answer: NodeAnswer
  /** Which HTTP request it came in, counted from 1. */
  readonly post: number
}

/** The node refused all of a HTTP request, or gave no answer that can be used. */
export class PostFailedError extends Error {
  override readonly name = 'PostFailedError'
  /** The HTTP status. */
  readonly status: number
  /** The limit that the refusal names, if any. */
  readonly hit: LimitHit | undefined

  constructor(status: number, hit: LimitHit | undefined, what: string) {
    super(what)
    this.status = status
    this.hit = hit
  }
}

/** A request that waits to be sent, and who waits for its answer. */
interface Waiting {
  readonly id: number
  readonly text: string
  readonly resolve: (sent: RequestAnswer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends JSON-RPC requests to one URL. Those that are made in one tick of the event loop share one HTTP request, a batch, as far as
 * the node takes so many and such a long body (`NodeLimits`). Each request then gets its own answer, or rejects:
 *
 * 1. Answers for all come: each is handed out (`#deliver`). One that says that it was too long is asked for again in a smaller batch.
 * 2. The node refuses the batch for its number or length: the limit is noted, and smaller batches are sent (`#refused`).
 * 3. It refuses in words that are not known: the first request is sent alone, which shows whether the batch was the reason.
 * 4. Anything else, such as a rate limit or a proxy's error, rejects all requests of the batch.
 */
export class BatchSender {
  readonly #to: FetchTarget
  readonly #timeoutMs: number
  readonly #limits: NodeLimits
  readonly #observer: ChainObserver | undefined
  #waiting: Waiting[] = []
  #ids = 0
  #posts = 0

  constructor(options: { url: string; timeoutMs: number; limits: NodeLimits; observer?: ChainObserver }) {
    this.#to = targetOf(options.url)
    this.#timeoutMs = options.timeoutMs
    this.#limits = options.limits
    this.#observer = options.observer
  }

  /** Rejects with PostFailedError, AnswerTooLongError, or whatever the network throws. */
  send(method: string, params: readonly unknown[]): Promise<RequestAnswer> {
    return new Promise((resolve, reject) => {
      this.#ids += 1
      const text = JSON.stringify({ jsonrpc: '2.0', id: this.#ids, method, params })
      this.#waiting.push({ id: this.#ids, text, resolve, reject })
      if (this.#waiting.length === 1) setTimeout(() => this.#sendAll(this.#waiting.splice(0)), 0)
    })
  }

  #sendAll(waiting: readonly Waiting[]): void {
    for (const batch of this.#batches(waiting)) {
      this.#post(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error)
      })
    }
  }

  /** Divides requests into batches that the node takes. @param most requests in one batch, whatever the node takes */
  #batches(waiting: readonly Waiting[], most = MOST_REQUESTS): Waiting[][] {
    const requests = Math.max(1, Math.min(most, this.#limits.most('batch') ?? MOST_REQUESTS))
    const bytes = this.#limits.most('body') ?? Number.POSITIVE_INFINITY
    const batches: Waiting[][] = []
    let size = 0
    for (const one of waiting) {
      const last = batches.at(-1)
      size += one.text.length + 1
      if (last !== undefined && last.length < requests && size <= bytes) last.push(one)
      else {
        batches.push([one])
        size = one.text.length + 2
      }
    }
    return batches
  }

  async #post(batch: readonly Waiting[]): Promise<void> {
    this.#posts += 1
    const post = this.#posts
    const body = bodyOf(batch)
    let http: HttpAnswer
    try {
      http = await boundedFetch(this.#traced(), body, this.#timeoutMs)
    } catch (error) {
      if (error instanceof AnswerTooLongError && batch.length > 1) return this.#sendSmaller(batch)
      throw error
    }
    const answers = answersIn(http, batch)
    if (Array.isArray(answers)) return this.#deliver(batch, answers, post)
    return this.#refused(batch, body, answers, post)
  }

  /** The target, with the header of the trace that goes on. A HTTP request may serve several callers: it is in the trace of the first. */
  #traced(): FetchTarget {
    const traceparent = this.#observer?.traceparent?.()
    if (traceparent === undefined) return this.#to
    return { ...this.#to, headers: { ...this.#to.headers, traceparent } }
  }

  /** Hands out answers. Those that were too long together are asked for again in smaller batches. */
  #deliver(batch: readonly Waiting[], answers: readonly NodeAnswer[], post: number): void {
    const tooLong: Waiting[] = []
    for (const [index, one] of batch.entries()) {
      const answer = answers[index]
      if (answer === undefined) continue
      const isTooLong = answer.error !== undefined && limitIn(answer.error)?.kind === 'answer'
      if (isTooLong && batch.length > 1) tooLong.push(one)
      else one.resolve({ answer, post })
    }
    if (tooLong.length > 0) this.#sendSmaller(tooLong, batch.length)
  }

  /** Decides what becomes of requests that were refused together. */
  async #refused(batch: readonly Waiting[], body: string, refusal: Refusal, post: number): Promise<void> {
    const { status, error, hit } = refusal
    if (hit?.kind === 'rate') throw new PostFailedError(status, hit, refusal.what)
    const count = batch.length
    // A single request: the refusal is its answer, unless something between us and the node gave it.
    if (count === 1) {
      const isOther = status >= 500 || NOT_OF_THE_NODE.has(status)
      if (error === undefined || isOther) throw new PostFailedError(status, hit, refusal.what)
      return batch[0]?.resolve({ answer: refusedWith(error), post })
    }
    if (hit?.kind === 'answer') return this.#sendSmaller(batch)
    if (hit?.kind === 'batch' || (hit?.kind === 'body' && body.length < SHORT_BODY_BYTES)) {
      this.#limits.refused('batch', count, hit.granted)
      return this.#sendSmaller(batch)
    }
    if (hit?.kind === 'body') {
      this.#limits.refused('body', body.length, hit.granted)
      return this.#sendSmaller(batch)
    }
    if (refusal.isIncomplete || NOT_OF_THE_NODE.has(status))
      throw new PostFailedError(status, hit, refusal.what)
    // The error text matches no known dialect. If the node then answers a single request, it refused the batch; if not,
    // it refuses everything.
    const [first, ...others] = batch
    if (first === undefined) return
    if (!(await this.#isAnsweredAlone(first, error))) {
      if (error === undefined) throw new PostFailedError(status, hit, refusal.what)
      for (const { resolve } of others) resolve({ answer: refusedWith(error), post })
      return
    }
    this.#limits.refused('batch', count)
    this.#sendSmaller(others, count)
  }

  /** Sends one request alone, and tells whether its answer is another than the batch's refusal. Rejects where it is not answered. */
  async #isAnsweredAlone(one: Waiting, refused: NodeAnswer['error']): Promise<boolean> {
    let error: NodeAnswer['error']
    const resolve = (sent: RequestAnswer) => {
      error = sent.answer.error
      one.resolve(sent)
    }
    await this.#post([{ ...one, resolve }])
    return error === undefined || error.code !== refused?.code || error.message !== refused.message
  }

  /** Sends again what was refused together. @param together of how many it was a part */
  #sendSmaller(batch: readonly Waiting[], together = batch.length): void {
    for (const smaller of this.#batches(batch, Math.floor(together / 2))) {
      this.#post(smaller).catch((error: unknown) => {
        for (const { reject } of smaller) reject(error)
      })
    }
  }
}

/** A request by itself is no batch, because some nodes take none. */
function bodyOf(batch: readonly Waiting[]): string {
  const [first] = batch
  return batch.length === 1 && first !== undefined
    ? first.text
    : `[${batch.map(({ text }) => text).join(',')}]`
}

/** A HTTP answer that is no answer to the requests. */
interface Refusal {
  readonly status: number
  readonly error: NodeAnswer['error']
  readonly hit: LimitHit | undefined
  /** What the node did, for the log. */
  readonly what: string
  /** Some answers came, and others did not. */
  readonly isIncomplete?: true
}

function refusedWith(error: NonNullable<NodeAnswer['error']>): NodeAnswer {
  return { id: undefined, result: undefined, error }
}

/**
 * The answers in the order of the requests: nodes may mix them. A `Refusal` where the node refuses the whole, or where
 * an answer is missing.
 */
function answersIn(
  { status, text, retryAfter }: HttpAnswer,
  batch: readonly Waiting[],
): NodeAnswer[] | Refusal {
  const body = NodeBody.safeParse(parsed(text))
  const all: NodeAnswer[] = body.success ? [body.data].flat() : []
  const errors = all.flatMap(({ error }) => error ?? [])
  const refuse = (what: string): Refusal => {
    const error = errors[0]
    // Words count only in an error, because a page of HTML may hold any.
    return { status, error, what, hit: limitIn({ ...error, status, retryAfter }) }
  }
  // A node may refuse a batch in each of its answers, or in the only one.
  const isAboutBatch =
    batch.length > 1 &&
    errors.length > 0 &&
    errors.length === all.length &&
    errors.every((error) => limitIn(error)?.kind === 'batch')
  if (isAboutBatch) return refuse('refused a batch')
  // Other statuses come from something in between, unless a revert or the like comes with them.
  const isOfNode = NODE_STATUSES.has(status) || errors.every(isSameFromEveryNode)
  const isAnswer = status < 300 || (errors.length > 0 && isOfNode)
  if (!isAnswer) return refuse(`answered HTTP ${status}`)
  if (!body.success) return refuse('does not answer in JSON-RPC')
  if (!Array.isArray(body.data) && batch.length > 1) return refuse('refused a batch')
  if (batch.length === 1 && all.length === 1) return all
  const byId = new Map(all.map((answer) => [answer.id, answer]))
  const answers = batch.flatMap(({ id }) => {
    const answer = byId.get(String(id))
    return answer === undefined ? [] : [answer]
  })
  return answers.length === batch.length ? answers : { ...refuse('leaves answers out'), isIncomplete: true }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
