import type { EachOptions } from '../call/CallOptions.ts'
import { isRecord } from '../call/isRecord.ts'
import type { Input } from '../call/toRequest.ts'
import { IndexUnavailableError, UnexpectedAnswerError } from '../errors/RemitError.ts'
import type { Caller } from './createCaller.ts'

/**
 * The rows of every page, each once also while rows are added (`client.each`). The next page is asked for when its first row is wanted.
 *
 * Throws IndexUnavailableError where a page says that the index could not be read or is behind: what a list
 * leaves out must not look like its end. For an incomplete page, call the operation itself.
 * @param field the field of the answer that holds the rows
 */
export async function* eachRow(
  call: Caller,
  { name, field }: { name: string; field: string },
  input: Input = {},
  { onPage, ...options }: EachOptions<unknown> = {},
): AsyncGenerator<unknown, void, undefined> {
  let after: string | undefined
  for (;;) {
    const page = await call(name, { ...input, after }, options)
    const rows = isRecord(page) ? page[field] : undefined
    if (!isRecord(page) || !Array.isArray(rows)) throw new TypeError(`${name} does not page`)
    if (typeof page.error === 'string') throw unreadIndex(page.error)
    onPage?.(page)
    yield* rows
    const { hasMore, nextCursor } = page
    if (hasMore === false || (hasMore === undefined && nextCursor === null)) return
    if (typeof nextCursor !== 'string' || nextCursor === after) {
      throw new UnexpectedAnswerError(`${name} says that there is more, and not where.`, { status: 200 })
    }
    after = nextCursor
  }
}

function unreadIndex(message: string): IndexUnavailableError {
  return new IndexUnavailableError(message, {
    status: 200,
    code: 'INDEX_UNAVAILABLE',
    requestId: undefined,
    issues: [],
    facts: {},
    retryAfterSeconds: undefined,
  })
}
