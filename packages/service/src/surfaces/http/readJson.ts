import { ValidationError } from '@remit/engine/errors/input'
import { within } from '@remit/engine/waiting/within'
import { PayloadTooLargeError, RequestTimeoutError, UnsupportedMediaTypeError } from '../../errors/http.ts'

/** The largest input is a subscription with its details, of a few kilobytes. */
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
  const bytes = await within(timeoutMs, read, () => new RequestTimeoutError())
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

/** Far deeper than any input needs, and shallow enough for every recursive function that reads it. */
export const MAX_JSON_DEPTH = 32

export interface ParsedJson {
  readonly value: unknown
  /** Why valid JSON is refused as input: it is nested too deep, or a name is given twice. */
  readonly flaw: ValidationError | undefined
}

/** Parses JSON text. Throws ValidationError for invalid JSON; other flaws are returned beside the value. */
export function parseJson(text: string): ParsedJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ValidationError([{ message: 'The request body is not valid JSON.' }], { cause })
  }
  return { value, flaw: findFlaw(text) }
}

/**
 * Looks for flaws in valid JSON, in one pass.
 *
 * A name that is given twice is refused. To pick one of two amounts silently would be a guess about money.
 */
function findFlaw(text: string): ValidationError | undefined {
  // The names seen in each open object; `null` for an open array.
  const open: (Set<string> | null)[] = []
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '{' || character === '[') {
      if (open.length === MAX_JSON_DEPTH) return tooDeep()
      open.push(character === '{' ? new Set() : null)
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === '"') {
      const end = endOfString(text, index)
      const names = open.at(-1)
      if (names && isName(text, end)) {
        const name = String(JSON.parse(text.slice(index, end)))
        if (names.has(name)) return ValidationError.of(name.slice(0, 200), 'is given more than once')
        names.add(name)
      }
      index = end - 1
    }
  }
  return undefined
}

/** The index behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index + 1
}

/** Whether the string that ends here is the name of a field: a colon follows. */
function isName(text: string, end: number): boolean {
  let index = end
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\r' || text[index] === '\t') index++
  return text[index] === ':'
}

function tooDeep(): ValidationError {
  return new ValidationError([{ message: `JSON may be nested ${MAX_JSON_DEPTH} levels deep at most.` }])
}
