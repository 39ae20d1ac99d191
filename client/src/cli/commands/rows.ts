import { isRecord } from '../../call/isRecord.ts'
import { UnexpectedAnswerError } from '../../errors/transport.ts'
import type { Invocation } from '../Command.ts'
import { plainJson } from '../output/plainText.ts'

/** A page of a list, whatever its rows are. */
export interface Page {
  readonly hasMore: boolean
  readonly nextCursor: string | null
  readonly error?: string
}

/**
 * Every page of a list, one after the other, until there is none or nobody wants one.
 * @param ask for the page behind a cursor
 */
export async function* pagesOf<Answer extends Page>(
  ask: (after: string | undefined) => Promise<Answer>,
): AsyncGenerator<Answer, void, undefined> {
  let after: string | undefined
  for (;;) {
    const page = await ask(after)
    yield page
    // A page that could not be read in whole names no place to go on from.
    if (!page.hasMore || page.nextCursor === null) return
    if (page.nextCursor === after) {
      throw new UnexpectedAnswerError('The service says that there is more, and not where.', { status: 200 })
    }
    after = page.nextCursor
  }
}

/** Prints the rows of the last page as the service gave them, one a line. */
export async function printRows({ terminal, connection }: Invocation, field: string): Promise<void> {
  const body: unknown = JSON.parse(await connection.lastBody())
  const rows = isRecord(body) ? body[field] : undefined
  if (!Array.isArray(rows)) throw new TypeError(`the answer has no ${field}`)
  terminal.out(rows.map((row) => `${plainJson(JSON.stringify(row))}\n`).join(''))
}
