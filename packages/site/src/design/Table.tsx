import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly title: ComponentChildren
  readonly isNumber?: boolean
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  /** What the table is, for those who hear it. */
  readonly caption: string
  readonly isCaptionShown?: boolean
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row, index: number): string | number
}

/** Rows and columns. On a narrow screen it scrolls within itself, by keyboard too. */
export function Table<Row>({ caption, isCaptionShown, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={isCaptionShown ? undefined : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }, index) => (
              <th key={index} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map(({ cell, isNumber }, index) => (
                <td key={index} class={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
