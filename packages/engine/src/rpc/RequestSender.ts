import * as z from 'zod'
import type { NodeRequest } from '../ports/nodes.ts'
import type { RequestAnswer } from './BatchSender.ts'

/** An error of EIP-1193, as wallets throw it, or as viem does, whose `details` are the node's own words. */
const Refused = z.looseObject({
  code: z.number(),
  message: z.string(),
  details: z.string().optional(),
  data: z.unknown().optional(),
})

/** How deep an error is searched for the node's own: a wallet hides it in another, and viem wraps what the wallet throws. */
const MOST_CAUSES = 8

/**
 * Sends requests by a function (a wallet's provider, a client of viem), where BatchSender sends them to a URL. Each counts as
 * a HTTP request of its own.
 */
export class RequestSender {
  readonly #request: NodeRequest
  #posts = 0

  constructor(request: NodeRequest) {
    this.#request = request
  }

  /** Rejects with what the function throws, but for a refusal of the node's, which is an answer. */
  async send(method: string, params: readonly unknown[]): Promise<RequestAnswer> {
    this.#posts += 1
    const post = this.#posts
    try {
      const result = await this.#request({ method, params })
      return { answer: { id: undefined, result, error: undefined }, post }
    } catch (thrown) {
      const error = refusedIn(thrown)
      if (error === undefined) throw thrown
      return { answer: { id: undefined, result: undefined, error }, post }
    }
  }
}

/** The innermost error that has a code of JSON-RPC. */
function refusedIn(thrown: unknown): z.output<typeof Refused> | undefined {
  let found: z.output<typeof Refused> | undefined
  let error = thrown
  for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth += 1) {
    const parsed = Refused.safeParse(error)
    if (parsed.success) {
      const { details, message, code, data } = parsed.data
      // The innermost error counts. Where it has no revert data, an outer one may.
      found = { code, message: details ?? message, data: data ?? found?.data }
    }
    error = 'cause' in error ? error.cause : undefined
  }
  return found
}
