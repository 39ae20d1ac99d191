import { decodeAnswer, ShapeMismatch } from '../call/decodeAnswer.ts'
import { toError } from '../errors/toError.ts'
import { UnexpectedAnswerError } from '../errors/transport.ts'
import { operations, shapes } from '../generated/operations.ts'

/** Decodes a reply as its operation declares it. Throws the service's error, or UnexpectedAnswerError. */
export function readAnswerOf(
  name: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): unknown {
  const row = operations[name]
  if (row === undefined) throw new TypeError(`There is no operation ${name}`)
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
  const row = operations[name]
  if (row === undefined) throw new TypeError(`There is no operation ${name}`)
  try {
    return decodeAnswer(body, row.answer, shapes)
  } catch (error) {
    if (!(error instanceof ShapeMismatch)) throw error
    throw new UnexpectedAnswerError(`${name}: ${error.message}.`, details)
  }
}
