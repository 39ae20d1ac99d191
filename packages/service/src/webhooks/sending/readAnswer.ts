import type { IncomingMessage } from 'node:http'

/** How much of an answer is kept. */
const KEPT_BYTES = 1_024
/** An answer that is longer is cut off: its status has said all. */
const MOST_BYTES = 16_384

/**
 * Reads an answer to its end. Rejects where the connection closes before it.
 *
 * The abort of the request's signal ends it too.
 */
export async function readAnswer(response: IncomingMessage) {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    const part = Buffer.from(chunk)
    if (bytes < KEPT_BYTES) kept.push(part.subarray(0, KEPT_BYTES - bytes))
    bytes += part.length
    if (bytes > MOST_BYTES) break
  }
  const retryAfterSeconds = readRetryAfter(response.headers['retry-after'])
  return {
    status: response.statusCode ?? 0,
    answer: textOf(Buffer.concat(kept)),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** Seconds, or a date as RFC 9110 writes it. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}

/** Control characters go: strangers wrote it, and databases refuse NUL. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '\n' : ' '))
}
