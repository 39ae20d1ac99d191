import { decodeAnswer, ShapeMismatch } from '../call/decodeAnswer.ts'
import type { OperationRow } from '../call/OperationRow.ts'
import { UnexpectedAnswerError } from '../errors/RemitError.ts'
import { toError } from '../errors/toError.ts'
import { operations, shapes } from '../generated/operations.ts'
import type { Reply } from './exchange.ts'
import { parseUrl } from './parseUrl.ts'

/** The JSON of a success. Throws the error that the service, or a proxy in its place, answered. */
export function readReply({ status, headers, text }: Reply, origin: string, nowMs: number): unknown {
  const details = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get('retry-after'), nowMs),
  }
  // A browser hides everything of a redirect that it does not follow, even the status.
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = placeOf(headers.get('location'), origin)
    throw new UnexpectedAnswerError(
      `${origin} redirects${to}: set url to where the service itself is.`,
      details,
    )
  }
  const body = text === undefined ? undefined : parse(text)
  const isOk = status >= 200 && status < 300
  if (isOk && body !== undefined) return body
  const error = isOk ? undefined : toError(body, details)
  if (error !== undefined) throw error
  const type = headers.get('content-type')?.split(';')[0] ?? 'no type'
  throw new UnexpectedAnswerError(
    `${origin} answered ${status} with what is not this service’s JSON (${type}): ` +
      'something in front of it answers in its place, or url is not its address.',
    details,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where a redirect leads, without its query, which may hold a secret. */
function placeOf(location: string | null, origin: string): string {
  const url = location === null ? undefined : parseUrl(location, origin)
  return url === undefined ? '' : ` to ${url.origin}${url.pathname}`
}

/**
 * The seconds of a Retry-After header, which is a number of them or a date; `undefined` without either.
 * @param nowMs unix milliseconds, which a date is compared with
 */
function retryAfterSeconds(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}

/** The answer in a reply that came in another way than by a call (`readAnswer`). Throws the service's error, or UnexpectedAnswerError. */
export function readAnswerOf(
  name: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): unknown {
  rowOf(name)
  if (status < 200 || status >= 300) {
    const error = toError(body, { status, retryAfterSeconds: undefined })
    throw error ?? new UnexpectedAnswerError(`${name}: ${status} without the service’s error.`, { status })
  }
  return decodeChecked(name, body, { status })
}

/** Throws UnexpectedAnswerError where a body is not what the operation declares. */
export function decodeChecked(
  name: string,
  body: unknown,
  details: { readonly status: number; readonly requestId?: string | undefined },
): unknown {
  const { answer } = rowOf(name)
  try {
    return decodeAnswer(body, answer, shapes)
  } catch (error) {
    if (!(error instanceof ShapeMismatch)) throw error
    throw new UnexpectedAnswerError(`${name}: ${error.message}.`, details)
  }
}

/** The declaration of an operation. Throws TypeError for a name that there is not. */
export function rowOf(name: string): OperationRow {
  const row = operations[name]
  if (row === undefined) throw new TypeError(`There is no operation ${name}`)
  return row
}
