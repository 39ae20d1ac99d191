import { NetworkError, TimeoutError } from '../errors/RemitError.ts'
import { Deadline } from './Deadline.ts'

/** An answer as it came. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** `undefined` for a body that is too long to be an answer. */
  readonly text: string | undefined
}

/** One try: sends a request and reads all of its answer, within the time and as long as the signal lets it. */
export async function exchange(
  send: typeof fetch,
  url: string,
  init: { method: string; headers: Record<string, string>; body: string | undefined },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Reply> {
  signal?.throwIfAborted()
  const deadline = new Deadline(timeoutMs, signal)
  try {
    const { body, ...rest } = init
    const response = await send(url, {
      ...rest,
      ...(body === undefined ? {} : { body }),
      // Following a redirect would send X-API-Key to any host.
      redirect: 'manual',
      signal: deadline.signal,
    })
    return {
      status: response.status,
      headers: response.headers,
      text: await readText(response, deadline.signal),
    }
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    const { origin } = new URL(url)
    throw deadline.isOver ? new TimeoutError(origin, timeoutMs) : new NetworkError(origin, thrown)
  } finally {
    deadline.drop()
  }
}

/** The longest lists of the service are some megabytes; no answer is longer than this. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/**
 * The body as text, or `undefined` for one that is longer than any answer: reading it stops there. Throws the
 * signal's reason as soon as it is aborted.
 *
 * The signal that the request was sent with is not enough: a given fetch may ignore it, and Node may collect it as
 * garbage once the answer's headers are there.
 */
export async function readText(
  response: Response,
  signal: AbortSignal,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return response.text()
  // This ends the reading at once, without the rest of the answer.
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    const decoder = new TextDecoder()
    let text = ''
    let bytes = 0
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      if (bytes > maxBytes) {
        leave()
        return undefined
      }
      text += decoder.decode(value, { stream: true })
    }
    signal.throwIfAborted()
    return text + decoder.decode()
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
