import { signal } from '@preact/signals'
import { queryNow, readOtherRows } from '../../page/live.ts'

type Query = Readonly<Record<string, string>>

/** The cursors of the pages that led here, and how many rows these had; empty where the page was opened by its address. */
const before = signal<readonly { readonly after: string | undefined; readonly rows: number }[]>([])

/** How many rows stand before this page; `undefined` where nobody knows, because the page was opened by its address. */
export function rowsBefore(): number | undefined {
  if (before.value.length === 0) return queryNow.value.after === undefined ? 0 : undefined
  return before.value.reduce((sum, { rows }) => sum + rows, 0)
}

/** Which rows a page shows: "26–50". @param before rows before this page */
export function placesWords(before: number, rows: number): string {
  return `${(before + 1).toLocaleString('en')}–${(before + rows).toLocaleString('en')}`
}

/** Shows the table by other words; `undefined` takes one away. It begins with its first page again. */
export function readTable(change: Readonly<Record<string, string | undefined>>): void {
  before.value = []
  void readOtherRows(changed({ ...change, after: undefined }))
}

/** What shows the next page; `undefined` on the last one. @param rows of this page */
export function nextPage(cursor: string | null, rows: number): (() => void) | undefined {
  if (cursor === null) return undefined
  return () => {
    before.value = [...before.value, { after: queryNow.peek().after, rows }]
    void readOtherRows(changed({ after: cursor }))
  }
}

/** What shows the page before: the first one where that is not known. `undefined` on the first one. */
export function previousPage(): (() => void) | undefined {
  const last = before.value.at(-1)
  if (last === undefined) return queryNow.value.after === undefined ? undefined : () => readTable({})
  return () => {
    before.value = before.value.slice(0, -1)
    void readOtherRows(changed({ after: last.after }))
  }
}

function changed(change: Readonly<Record<string, string | undefined>>): Query {
  const wanted = Object.entries({ ...queryNow.peek(), ...change })
  return Object.fromEntries(wanted.flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
