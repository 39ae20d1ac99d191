import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from '@remit/engine/declare/codec'
import { LRUCache } from 'lru-cache'
import type { Caller, Pipeline, RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { credentialsOfNode, type Peer } from '../http/credentials.ts'
import { type Responses, unknownRecipient } from '../http/responses.ts'
import { jsonForm, type Reply, replyTo } from './reply.ts'

/** Far more than the reads that are asked for again within one block. */
const MOST_KNOWN = 2_000
/** Longer ones are not remembered, so that what is known takes a few megabytes. */
const LONGEST_KEY = 500

interface Known {
  readonly operation: Operation
  readonly call: RawCall
}

/**
 * A short way for reads that are asked again with the same request key: address, host and Accept header. What a key asks for
 * never changes, so the framework and the parsing are left out. Everything else is done as for every request: the caller is
 * identified, the limits count, the answer is the newest block's, the log has its line.
 */
export class RepeatedReads {
  readonly #known = new LRUCache<string, Known>({ max: MOST_KNOWN })
  readonly #pipeline: Pick<Pipeline, 'identifyCaller' | 'call'>
  readonly #responses: Responses
  /** The length of answers in bytes, while they are kept for their block. */
  readonly #lengths = new WeakMap<Answer, number>()

  constructor(pipeline: Pick<Pipeline, 'identifyCaller' | 'call'>, responses: Responses) {
    this.#pipeline = pipeline
    this.#responses = responses
  }

  /** Notes what a request was found to ask for. */
  remember(key: string | undefined, known: Known): void {
    if (key !== undefined && key.length <= LONGEST_KEY) this.#known.set(key, known)
  }

  find(key: string | undefined): Known | undefined {
    return key === undefined ? undefined : this.#known.get(key)
  }

  /** Writes the answer, or the error, to Node's response. Returns the status for the log. */
  async answer({ operation, call }: Known, peer: Peer, request: IncomingMessage, response: ServerResponse) {
    let caller: Caller | undefined
    try {
      // Its connection tells whether it has left. A signal for each of these short reads would only be thrown away.
      caller = {
        ...(await this.#pipeline.identifyCaller('rest', credentialsOfNode(request, peer))),
        connection: request.socket,
      }
      const answer = await this.#pipeline.call(caller, operation, async () => call)
      const shared = this.#responses.headerListFor(caller)
      const asked = { shared, ifNoneMatch: request.headers['if-none-match'] }
      return this.#write(answer, replyTo(answer, operation, jsonForm(answer), asked), response)
    } catch (thrown) {
      const refusal = this.#responses.refuse(thrown, caller ?? unknownRecipient())
      const { status, headers } = refusal
      const text = await refusal.text()
      const length = { 'Content-Length': String(Buffer.byteLength(text)) }
      response.writeHead(status, { ...Object.fromEntries(headers), ...length }).end(text)
      return status
    }
  }

  #write(answer: Answer, { status, headers, text }: Reply, response: ServerResponse): number {
    if (text === null) {
      response.writeHead(status, headers).end()
      return status
    }
    const length = this.#lengths.get(answer) ?? Buffer.byteLength(text)
    this.#lengths.set(answer, length)
    headers.push('Content-Length', String(length))
    // As text it is sent in one piece with the headers. Node has room ready for three bytes a character of UTF-8, and one of
    // Latin-1; ASCII is the same bytes in both.
    response.writeHead(status, headers).end(text, length === text.length ? 'latin1' : 'utf8')
    return status
  }
}
