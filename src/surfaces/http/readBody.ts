import { PayloadTooLargeError, RequestTimeoutError, UnsupportedMediaTypeError } from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import { afterArrived } from '../server/afterArrived.ts'

export const MAX_BODY_BYTES = 64 * 1024

/** How long a body may take to arrive. 64 KiB need less time even on a slow line. */
const DEFAULT_TIMEOUT_MS = 10_000

/**
 * Reads a request's body: UTF-8 text, declared as JSON and uncompressed.
 *
 * Throws UnsupportedMediaTypeError; PayloadTooLargeError, without keeping more than the limit; RequestTimeoutError for
 * a body that is too slow; ValidationError for a body that is malformed, incomplete or no UTF-8.
 */
export async function readJsonText(request: Request, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<string> {
  if (!isUncompressedJson(request.headers)) throw new UnsupportedMediaTypeError()
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > MAX_BODY_BYTES) throw new PayloadTooLargeError(MAX_BODY_BYTES)
  // Node enforces an announced length, so that body can be read at once. Others are counted while they arrive.
  const read = announced >= 0 ? readWhole(request) : readCounting(request)
  const bytes = await withDeadline(read, timeoutMs)
  if (bytes.byteLength > MAX_BODY_BYTES) throw new PayloadTooLargeError(MAX_BODY_BYTES)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ValidationError([{ message: 'The request body is not valid UTF-8.' }])
  }
}

function isUncompressedJson(headers: Headers): boolean {
  const [type, ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  if (type?.trim() !== 'application/json') return false
  const charset = parameters.map((parameter) => parameter.trim()).find((part) => part.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return false
  const encoding = headers.get('content-encoding')?.trim().toLowerCase()
  return encoding === undefined || encoding === '' || encoding === 'identity'
}

async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer())
  } catch (cause) {
    throw brokenOff(cause)
  }
}

async function readCounting(request: Request): Promise<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let received = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw brokenOff(cause)
    })
    if (done) return Buffer.concat(chunks)
    received += value.byteLength
    if (received > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {})
      throw new PayloadTooLargeError(MAX_BODY_BYTES)
    }
    chunks.push(value)
  }
}

/** The caller has mostly disconnected. This is its fault, and no error of the service. */
function brokenOff(cause: unknown): ValidationError {
  return new ValidationError([{ message: 'The request body is malformed, or broke off before its end.' }], {
    cause,
  })
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => afterArrived(() => reject(new RequestTimeoutError())), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
