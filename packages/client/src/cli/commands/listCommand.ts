/** How the commands that list things (`search`, `history`, `show`, `events`) ask for pages and print them. */

import { isRecord } from '../../call/isRecord.ts'
import { UnexpectedAnswerError } from '../../errors/RemitError.ts'
import type { IndexPosition, Warning } from '../../generated/api.ts'
import type { Invocation } from '../Command.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { plainJson } from '../output/plainText.ts'
import { type Column, tableOf } from '../output/table.ts'
import { moreLine, printBody, printHints } from './answer.ts'

interface ListAnswer extends ListPage {
  readonly warnings?: readonly Warning[]
  readonly index?: IndexPosition | null
}

/**
 * Prints a page of a list, or with --all all of them: as a table, or as JSON. If the index could not be read, the incomplete
 * answer is printed, and the exit code says so.
 */
export async function printList<Answer extends ListAnswer, Row>(
  invocation: Invocation,
  list: {
    /** Asks for the page after a cursor. */
    readonly ask: (after: string | undefined) => Promise<Answer>
    readonly rowsOf: (answer: Answer) => readonly Row[]
    /** The field that holds the rows. */
    readonly field: string
    readonly columns: readonly Column<Row>[]
    /** What the rows are, for people: "subscriptions". */
    readonly noun: string
  },
): Promise<ExitCode | undefined> {
  const { terminal, flags, json, signal } = invocation
  const all = flags.isSet('all')
  const rows: Row[] = []
  let last: Answer | undefined
  for await (const page of pagesOf(list.ask)) {
    last = page
    if (json && all) printBodyRows(invocation, list.field)
    else if (json) printBody(invocation)
    else rows.push(...list.rowsOf(page))
    // Behind an incomplete page there is no other.
    if (!all || page.error !== undefined) break
    signal.throwIfAborted()
  }
  if (last === undefined) return undefined
  const isIncomplete = last.error !== undefined
  if (rows.length > 0) {
    terminal.out(tableOf(terminal, list.columns, rows))
    terminal.out(moreLine(last.hasMore && !all, rows.length, list.noun))
  } else if (!json && !isIncomplete) terminal.out(`No ${list.noun}.\n`)
  if (!json || isIncomplete) printHints(invocation, last)
  return isIncomplete ? EXIT.unavailable : undefined
}

/** A page of a list, whatever its rows are. */
interface ListPage {
  readonly hasMore: boolean
  readonly nextCursor: string | null
  readonly error?: string
}

/**
 * Yields the pages of a list in order, until the last one or until the caller stops.
 * @param ask asks for the page after a cursor
 */
export async function* pagesOf<Answer extends ListPage>(
  ask: (after: string | undefined) => Promise<Answer>,
): AsyncGenerator<Answer, void, undefined> {
  let after: string | undefined
  for (;;) {
    const page = await ask(after)
    yield page
    // An incomplete page has no cursor.
    if (!page.hasMore || page.nextCursor === null) return
    if (page.nextCursor === after) {
      throw new UnexpectedAnswerError(
        'The service says that there are more rows, but its cursor does not move on.',
        { status: 200 },
      )
    }
    after = page.nextCursor
  }
}

/** Prints the rows of the last answer (`connection.lastBody`) as the service gave them, one on each line. */
export function printBodyRows({ terminal, connection }: Invocation, field: string): void {
  const body: unknown = JSON.parse(connection.lastBody())
  const rows = isRecord(body) ? body[field] : undefined
  if (!Array.isArray(rows)) throw new TypeError(`the answer has no ${field}`)
  terminal.out(rows.map((row) => `${plainJson(JSON.stringify(row))}\n`).join(''))
}
