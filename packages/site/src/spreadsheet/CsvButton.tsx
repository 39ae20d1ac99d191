import { useSignal } from '@preact/signals'
import { Button } from '../design/Button.tsx'
import { errorWords } from '../words/errors.ts'
import { type CsvColumn, csvOf, saveCsv } from './csv.ts'

interface CsvButtonProps<Row> {
  /** What the rows are: "Payments". */
  readonly what: string
  /** The file's name, without its ending. */
  readonly name: string
  readonly columns: readonly CsvColumn<Row>[]
  rowsOf(): AsyncIterable<Row>
}

/** Saves all rows as one file for a spreadsheet. The browser makes it, page by page: the API's own CSV asks for a key. */
export function CsvButton<Row>({ what, name, columns, rowsOf }: CsvButtonProps<Row>) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const download = async () => {
    isBusy.value = true
    try {
      const rows: Row[] = []
      said.value = 'Reading …'
      for await (const row of rowsOf()) {
        rows.push(row)
        if (rows.length % 1_000 === 0) said.value = `Read ${rows.length} …`
      }
      if (rows.length > 0) saveCsv(csvOf(columns, rows), `${name}.csv`)
      said.value = rows.length === 0 ? 'There are none.' : `${rows.length} saved.`
    } catch (error) {
      said.value = errorWords(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <span class="row csv">
      <span class="quiet" role="status">
        {said.value}
      </span>
      <Button isSmall isOff={isBusy.value} onClick={() => void download()}>
        {what} as CSV
      </Button>
    </span>
  )
}
