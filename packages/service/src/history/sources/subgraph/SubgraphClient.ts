import { networkCause } from '@remit/engine/network/networkCause'
import { readText } from '@remit/engine/network/readText'
import { type ChainObserver, unobservedChains } from '@remit/engine/ports/nodes'
import { SourceError } from '@remit/engine/ports/source'
import { parseUrl } from '@remit/engine/schema/text'
import { Deadline } from '@remit/engine/waiting/Deadline'
import * as z from 'zod'

/**
 * The subgraph does not answer, or its answer cannot be used now. It is worth asking again.
 *
 * The message is for the operator. It names no URL and quotes nothing of the server's answer: a gateway's URL holds
 * the key, and a server may quote it. For the same reason there is no `cause`.
 */
export class SubgraphFailedError extends Error {
  override readonly name: string = 'SubgraphFailedError'
}

/** The answer is longer than this service's limit, or the server's. Fewer rows may fit. */
export class AnswerTooLargeError extends SubgraphFailedError {
  override readonly name = 'AnswerTooLargeError'
}

/** The subgraph answers, but with data of another form, or with rows that are not those of the chain. The chain's logs are read instead. */
export class UnusableRowsError extends SourceError {
  /** The block whose rows differ; `undefined` where no block is known. */
  readonly blockNumber: number | undefined

  constructor(message: string, blockNumber?: number) {
    super(message)
    this.blockNumber = blockNumber
  }
}

/** The longest answer that is read: far more than a full page of usual rows. It limits what a faulty server or very long texts can cost. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

const Answer = z
  .object({
    data: z.unknown().optional(),
    errors: z.array(z.looseObject({ message: z.string() })).nullish(),
  })
  .refine(({ data, errors }) => data !== undefined || (errors?.length ?? 0) > 0)

/** graph-node's error for an answer beyond the size that its operator allows. */
const TOO_LARGE = /result size of \d+ is larger than/i

/**
 * Error texts of graph-node and the gateway, and what each means for the operator. The first that fits counts: a gateway
 * quotes refusals that its indexers got, and these say nothing about this service's key.
 */
const KNOWN_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/bad indexers|no indexers|no allocations/i, 'has nobody at present who serves it'],
  [/has not started syncing/i, 'has not begun to read the chain'],
  [/api key|auth|payment|forbidden/i, 'refuses the API key'],
  [/only indexed up to|not yet available|no block with that hash/i, 'has lost the block it just stood at'],
  [/reorgani[sz]ed/i, 'met a reorganisation while it answered'],
  [/unavailable/i, 'has nobody at present who serves it'],
  [/timed? ?out|too (many|expensive)|overload/i, 'is too busy'],
  [/no field|unknown (field|argument|type)|cannot query|invalid value/i, 'has another schema than expected'],
  [/not found|does not exist|no deployment/i, 'is not known to its server'],
]

/** Sends GraphQL queries to one subgraph, with its key, and checks the answers. */
export class SubgraphClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  readonly #name: string
  readonly #chainId: number
  readonly #observer: Pick<ChainObserver, 'upstreamAsked'>

  /** @param options.timeoutMs for one answer, its body included @throws SourceError if the URL cannot be used */
  constructor(options: {
    url: string
    apiKey: string | undefined
    chainId: number
    timeoutMs: number
    observer?: Pick<ChainObserver, 'upstreamAsked'>
  }) {
    const { url, apiKey, chainId, timeoutMs, observer = unobservedChains } = options
    this.#chainId = chainId
    this.#observer = observer
    this.#name = `The subgraph of chain ${chainId}`
    const parsed = parseUrl(url)
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
      throw new SourceError(`${this.#name} needs an http or https URL.`)
    }
    if (parsed.username !== '' || parsed.password !== '') {
      throw new SourceError(`${this.#name} takes its key as a bearer, not as a user in the URL.`)
    }
    this.#url = url
    this.#timeoutMs = timeoutMs
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    }
  }

  /**
   * Sends a query and parses the answer.
   *
   * Throws SubgraphFailedError if there is no answer, if it holds errors (then its data is not used) or is no JSON; SourceError for the
   * error that a handler of the subgraph failed (`indexingErrors`); AnswerTooLargeError if fewer rows may be answered; and
   * UnusableRowsError if the data does not have the form of the subgraph's schema.
   */
  async ask<T>(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    data: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const answer = Answer.safeParse(parseJson(await this.#post(JSON.stringify({ query, variables }), signal)))
    if (!answer.success) throw this.#failed('answers in no form of GraphQL')
    const [error] = answer.data.errors ?? []
    if (error !== undefined) {
      if (error.message === 'indexing_error') throw this.indexingErrors()
      if (TOO_LARGE.test(error.message)) throw this.#tooLarge('cannot give so large an answer')
      const known = KNOWN_REFUSALS.find(([pattern]) => pattern.test(error.message))
      throw this.#failed(known?.[1] ?? 'answers with an error')
    }
    const parsed = data.safeParse(answer.data.data)
    if (parsed.success) return parsed.data
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new UnusableRowsError(
      `${this.#name} answers what its schema does not allow, at ${path || 'its root'}.`,
    )
  }

  /** The error to throw where the subgraph's handlers failed at some block: from there on its rows are not complete. */
  indexingErrors(): SourceError {
    return new SourceError(`${this.#name} reports indexing errors: its rows are not complete.`)
  }

  #failed(what: string): SubgraphFailedError {
    return new SubgraphFailedError(`${this.#name} ${what}.`)
  }

  #tooLarge(what: string): AnswerTooLargeError {
    return new AnswerTooLargeError(`${this.#name} ${what}.`)
  }

  /** The text of the answer. Throws SubgraphFailedError, and the signal's reason once it aborts. */
  async #post(body: string, signal: AbortSignal): Promise<string> {
    const begun = performance.now()
    let failure: string | undefined
    const deadline = new Deadline(this.#timeoutMs, signal)
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body,
        // A redirect could send the key to another host.
        redirect: 'error',
        signal: deadline.signal,
      })
      if (response.status === 401 || response.status === 403) throw this.#failed('refuses the API key')
      if (!response.ok) {
        await response.body?.cancel()
        if (response.status === 413) throw this.#tooLarge('cannot give so large an answer')
        throw this.#failed(`answers with HTTP ${response.status}`)
      }
      const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, signal: deadline.signal })
      if (text !== undefined) return text
      throw this.#tooLarge(`answers with more than ${MAX_ANSWER_BYTES} bytes`)
    } catch (error) {
      failure = deadline.isOver ? 'timeout' : 'unreachable'
      if (error instanceof SubgraphFailedError) throw error
      signal.throwIfAborted()
      if (deadline.isOver) throw this.#failed(`did not answer within ${this.#timeoutMs} ms`)
      throw this.#failed(`cannot be reached (${networkCause(error)})`)
    } finally {
      deadline.drop()
      const durationMs = performance.now() - begun
      this.#observer.upstreamAsked({ chainId: this.#chainId, endpoint: 'subgraph', failure, durationMs })
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
