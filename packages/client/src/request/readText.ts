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
