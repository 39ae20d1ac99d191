import { signal } from '@preact/signals'
import { queryNow, readOtherRows } from '../../page/live.ts'

type Query = Readonly<Record<string, string>>

// Where one is in a long table of the desk. The API's cursors lead only forward, so the pages before are remembered here.

/** The pages that led to this one: their cursors and lengths. Empty on the first page, and where a link led right here. */
const before = signal<readonly { readonly after: string | undefined; readonly rows: number }[]>([])

/** How many rows stand before this page; `undefined` where a link led right here, so that nobody knows. */
export function rowsBefore(): number | undefined {
  if (before.value.length === 0) return queryNow.value.after === undefined ? 0 : undefined
  return before.value.reduce((sum, { rows }) => sum + rows, 0)
}

/** Which rows a page shows: "26–50". @param before rows before this page */
export function placesWords(before: number, rows: number): string {
  return `${(before + 1).toLocaleString('en')}–${(before + rows).toLocaleString('en')}`
}

/** Shows the table with other filters or another order, from its first page on. @param change `undefined` removes a filter */
export function readTable(change: Readonly<Record<string, string | undefined>>): void {
  before.value = []
  void readOtherRows(changed({ ...change, after: undefined }))
}

/** A function that shows the next page; `undefined` on the last one. @param rows how many this page has */
export function nextPage(cursor: string | null, rows: number): (() => void) | undefined {
  if (cursor === null) return undefined
  return () => {
    before.value = [...before.value, { after: queryNow.peek().after, rows }]
    void readOtherRows(changed({ after: cursor }))
  }
}

/** A function that shows the page before; where that is not known, the first. `undefined` on the first one. */
export function previousPage(): (() => void) | undefined {
  const last = before.value.at(-1)
  if (last === undefined) return queryNow.value.after === undefined ? undefined : () => readTable({})
  return () => {
    before.value = before.value.slice(0, -1)
    void readOtherRows(changed({ after: last.after }))
  }
}

/** The page's query with this change, without empty entries. */
function changed(change: Readonly<Record<string, string | undefined>>): Query {
  const wanted = Object.entries({ ...queryNow.peek(), ...change })
  return Object.fromEntries(wanted.flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
