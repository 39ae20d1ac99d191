import * as z from 'zod'
import { Deadline } from '../../core/upstream/Deadline.ts'
import { readText } from '../../core/upstream/readText.ts'

/** Far above the largest answer a lens page or a block's logs have; a bound against a node gone wild. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

const RequestIds = z.array(z.looseObject({ id: z.number() }))
const Answers = z.array(z.looseObject({ id: z.union([z.number(), z.string(), z.null()]).optional() }))
const Refusal = z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string() }) })

/**
 * A fetch for viem's batching transport that cannot hang in the body and returns one answer per request.
 *
 * viem stops its clock at the response's head, and hands out a batch's answers by their position: a node
 * that leaves one out, or refuses the whole batch with a single object, would have answers mixed up or
 * undefined. Here they are matched by id.
 */
export function boundedFetch(timeoutMs: number) {
  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const deadline = new Deadline(timeoutMs, init?.signal)
    try {
      const response = await fetch(input, { ...init, signal: deadline.signal, redirect: 'error' })
      const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, signal: deadline.signal })
      if (text === undefined) {
        throw new AnswerTooLongError(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
      }
      // Some nodes put an error of JSON-RPC under 400; every other status speaks for the way to the node.
      if (!response.ok && response.status !== 400) return new Response(null, { status: response.status })
      const body = typeof init?.body === 'string' ? inRequestOrder(init.body, text) : text
      return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } })
    } finally {
      deadline.drop()
    }
  }
}

function inRequestOrder(requestBody: string, answerBody: string): string {
  const requests = RequestIds.safeParse(JSON.parse(requestBody))
  if (!requests.success) return answerBody
  const answer: unknown = JSON.parse(answerBody)
  const refusal = Refusal.safeParse(answer)
  if (refusal.success) {
    return JSON.stringify(requests.data.map(({ id }) => ({ id, error: refusal.data.error })))
  }
  const byId = new Map(Answers.parse(answer).map((item) => [item.id, item]))
  return JSON.stringify(
    requests.data.map(({ id }) => {
      const found = byId.get(id)
      if (found === undefined) throw new Error('the answer to a batch leaves requests out')
      return found
    }),
  )
}
