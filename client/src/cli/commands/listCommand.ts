import type { IndexPosition, Warning } from '../../generated/api.ts'
import { CliError } from '../CliError.ts'
import type { Invocation } from '../Command.ts'
import { EXIT, type ExitCode } from '../exitCodes.ts'
import { type Column, tableOf } from '../output/table.ts'
import { moreOf, printJson, sayAside } from './answer.ts'
import { type Page, pagesOf, printRows } from './rows.ts'

interface ListAnswer extends Page {
  readonly warnings?: readonly Warning[]
  readonly index?: IndexPosition | null
}

/** Prints a page of a list, or with --all every one of them: as a table, or as JSON. */
export async function printList<Answer extends ListAnswer, Row>(
  invocation: Invocation,
  list: {
    /** Asks for the page behind a cursor. */
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
  const all = flags.on('all')
  const rows: Row[] = []
  let last: Answer | undefined
  for await (const page of pagesOf(list.ask)) {
    last = page
    if (json) await (all ? printRows(invocation, list.field) : printJson(invocation))
    else rows.push(...list.rowsOf(page))
    // What a list leaves out must not look like its end.
    if (all && page.error !== undefined) throw new CliError(page.error, EXIT.unavailable)
    if (!all) break
    signal.throwIfAborted()
  }
  if (json || last === undefined) return undefined
  if (rows.length === 0) terminal.out(`No ${list.noun}.\n`)
  else {
    terminal.out(tableOf(terminal, list.columns, rows))
    terminal.out(moreOf(last.hasMore && !all, rows.length, list.noun))
  }
  sayAside(invocation, last)
  return undefined
}
