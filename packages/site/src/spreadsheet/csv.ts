import { disarmSpreadsheetCell } from '@remit/protocol/text'

/** A column of a file: its title, and what a row has in it. */
export type CsvColumn<Row> = readonly [title: string, read: (row: Row) => string | number]

/** Rows as a table for spreadsheets. As in the API's own CSV, a stranger's words stay text. */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map(([, read]) => cell(String(read(row)))).join(','))
  return `${[columns.map(([title]) => title).join(','), ...lines].join('\r\n')}\r\n`
}

function cell(text: string): string {
  const plain = disarmSpreadsheetCell(text)
  return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Has the browser save a file that was made here. */
export function saveCsv(text: string, name: string): void {
  const link = document.createElement('a')
  // Without the mark at its start, Excel reads the letters of other languages wrongly.
  link.href = URL.createObjectURL(new Blob(['\u{feff}', text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
