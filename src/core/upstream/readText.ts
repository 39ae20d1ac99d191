/**
 * The body of an answer as text; `undefined` for one that is longer than it may be, of which the rest is not read.
 * Throws the signal's reason as soon as it is aborted.
 *
 * The signal that the request was sent with does not do: once an answer's head is there, fetch holds on to it so
 * loosely that it may be collected, and then nothing ends the reading.
 */
export async function readText(
  response: Response,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  // Reading ends with that, and what the other side is still sending is not waited for.
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    const chunks: Uint8Array[] = []
    let size = 0
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > maxBytes) {
        leave()
        return undefined
      }
      chunks.push(value)
    }
    signal.throwIfAborted()
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
