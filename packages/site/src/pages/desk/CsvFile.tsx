import type { Address } from 'viem'
import { CsvButton } from '../../spreadsheet/CsvButton.tsx'
import type { CsvColumn } from '../../spreadsheet/csv.ts'
import { subject } from '../../subject/subject.ts'

interface CsvFileProps<Row> {
  /** What the rows are: "Payments". */
  readonly what: string
  /** Which of them, where it is not all: "2026-03". */
  readonly of?: string | undefined
  readonly columns: readonly CsvColumn<Row>[]
  rowsOf(provider: Address): AsyncIterable<Row>
}

/** A button that saves all rows of a desk's table as a file, whichever the page shows. */
export function CsvFile<Row>({ what, of, columns, rowsOf }: CsvFileProps<Row>) {
  const address = subject.value
  if (address === undefined) return null
  const name = [what.toLowerCase().replaceAll(' ', '-'), ...(of === undefined ? [] : [of]), address].join('-')
  return <CsvButton what={what} name={name} columns={columns} rowsOf={() => rowsOf(address)} />
}
