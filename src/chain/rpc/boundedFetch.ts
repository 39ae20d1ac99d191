import * as z from 'zod'
import { Deadline } from '../../core/upstream/Deadline.ts'
import { readText } from '../../core/upstream/readText.ts'

/** No lens answer and no block's logs come near this size. It limits what a faulty node can make us hold. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

const RequestIds = z.array(z.looseObject({ id: z.number() }))
const Answers = z.array(z.looseObject({ id: z.union([z.number(), z.string(), z.null()]).optional() }))
const Refusal = z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string() }) })

/**
 * A fetch for viem's batching transport. Its timeout covers the body, and it returns one answer per request.
 *
 * viem's own timeout ends with the response's headers, and viem hands out a batch's answers by position. If a node
 * leaves one out, or refuses the whole batch with a single object, answers would be mixed up or undefined. So they
 * are matched by id here.
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
      // Some nodes send a JSON-RPC error with status 400. Any other status comes from something in between.
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
