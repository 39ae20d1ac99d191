/**
 * Reads the body of a response as text. Answers `undefined` for a body that is too long, and stops reading it.
 * Throws the signal's reason as soon as the signal aborts.
 *
 * The signal of the request is not enough: once the headers have arrived, Node may collect it, and then nothing ends
 * the reading.
 */
export async function readText(
  response: Response,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  // Cancelling ends a pending read at once, without the rest of the body.
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    const decoder = new TextDecoder()
    let text = ''
    let size = 0
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > maxBytes) {
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
