import { useSignal } from '@preact/signals'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { type CsvColumn, csvOf, saveCsv } from '../../spreadsheet/csv.ts'
import { subject } from '../../subject/subject.ts'
import { errorWords } from '../../words/errors.ts'

interface CsvFileProps<Row> {
  /** What the rows are: "Payments". */
  readonly what: string
  /** Which of them, where it is not all: "2026-03". */
  readonly of?: string | undefined
  readonly columns: readonly CsvColumn<Row>[]
  rowsOf(provider: Address): AsyncIterable<Row>
}

/** All rows as one file for a spreadsheet. It is made here: the API gives whole lists only to those with a key. */
export function CsvFile<Row>({ what, of, columns, rowsOf }: CsvFileProps<Row>) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const download = async () => {
    const address = subject.peek()
    if (address === undefined) return
    isBusy.value = true
    try {
      const rows: Row[] = []
      said.value = 'Reading …'
      for await (const row of rowsOf(address)) {
        rows.push(row)
        if (rows.length % 1_000 === 0) said.value = `Read ${rows.length} …`
      }
      if (rows.length > 0)
        saveCsv(
          csvOf(columns, rows),
          `${[what.toLowerCase(), ...(of === undefined ? [] : [of]), address].join('-')}.csv`,
        )
      said.value = rows.length === 0 ? 'There are none yet.' : `${rows.length} saved.`
    } catch (error) {
      said.value = errorWords(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <span class="row">
      <span class="quiet" role="status">
        {said.value}
      </span>
      <Button isSmall isOff={isBusy.value} onClick={() => void download()}>
        {what} as CSV
      </Button>
    </span>
  )
}
