import { NetworkError, TimeoutError } from '../errors/transport.ts'
import { Deadline } from './Deadline.ts'
import { readText } from './readText.ts'

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
