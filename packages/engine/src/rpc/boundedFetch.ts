import { Deadline } from '../upstream/Deadline.ts'
import { readText } from '../upstream/readText.ts'

/** No lens answer and no block's logs come near this size. It limits what a faulty node can make us hold. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/** A HTTP response, read to its end. */
export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The header of this name. */
  readonly retryAfter: string | null
}

/** A URL without its name and password, and the header that holds them instead. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** fetch refuses URLs with a name and a password. */
export function targetOf(text: string): Target {
  const url = new URL(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: text, headers: {} }
  url.username = ''
  url.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    url: url.href,
    headers: {
      authorization: `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(credentials)))}`,
    },
  }
}

/**
 * Posts JSON. The time limit covers the response's body.
 *
 * Throws AnswerTooLongError, a TimeoutError, or whatever the network throws.
 */
export async function boundedFetch(
  { url, headers }: Target,
  body: string,
  timeoutMs: number,
): Promise<HttpAnswer> {
  const deadline = new Deadline(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: deadline.signal,
      redirect: 'error',
    })
    const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, signal: deadline.signal })
    if (text === undefined) throw new AnswerTooLongError(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') }
  } finally {
    deadline.drop()
  }
}
