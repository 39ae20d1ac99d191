/** The longest lists of the service are some megabytes; nothing of it is ever longer than this. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** The body as text, or `undefined` for one that is longer than any answer: reading it stops there. */
export async function readText(response: Response, maxBytes = MAX_ANSWER_BYTES): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
