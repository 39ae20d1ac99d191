import { readText } from '../network/readText.ts'
import { Deadline } from '../waiting/Deadline.ts'

// One HTTP POST to a node's URL, bounded in time and in the size of the answer. `BatchSender` sends every request to a URL by it.

/** The longest body that is read. No honest answer, such as a block's logs, comes near it; a faulty node could send any number. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** The answer has more than 16 MiB. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/** A HTTP response, read to its end. */
export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The header `Retry-After` as it was sent: seconds or a date, when the node wants to be asked again. `null` without one. */
  readonly retryAfter: string | null
}

/** A URL without its name and password, and the header that holds them instead. */
export interface FetchTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Takes name and password out of a URL: fetch refuses URLs that hold them. */
export function targetOf(text: string): FetchTarget {
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
 * Throws AnswerTooLongError, a TimeoutError, a TypeError for a redirect, or whatever the network throws.
 */
export async function boundedFetch(
  { url, headers }: FetchTarget,
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
      // Not 'error', which some runtimes at the edge refuse as a value. So redirects are told by the response (`redirects`).
      redirect: 'manual',
    })
    if (redirects(response)) {
      await response.body?.cancel()
      throw new TypeError('the node redirects to another address')
    }
    const text = await readText(response, { maxBytes: MAX_ANSWER_BYTES, signal: deadline.signal })
    if (text === undefined) throw new AnswerTooLongError(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') }
  } finally {
    deadline.drop()
  }
}

/** Whether a response is a redirect, of which browsers hide the status. None is followed: it could take credentials to another host. */
function redirects({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}
