import './table.css'
import type { ComponentChildren } from 'preact'

type Order = 'asc' | 'desc'

export interface Column<Row> {
  readonly title: ComponentChildren
  /** The title as text, for cards on a narrow screen; needed where the title is more than a text. */
  readonly label?: string
  readonly isNumber?: boolean
  /** What names the row: the head of its card. */
  readonly isName?: boolean
  /** What can be done with the row: it stands in the corner of its card. */
  readonly isMenu?: boolean
  /** The column can sort the table. `order` is the present one, `first` the one of the first click; `by` changes it. */
  readonly sort?: { readonly order: Order | undefined; by(order: Order): void; readonly first?: Order }
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

/** A table that scrolls. On a narrow screen each row is a card with the columns' titles in it; nothing is left out. */
export function Table<Row>({ caption, isCaptionShown, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and a section would be one more landmark
    <div class="table" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={isCaptionShown ? undefined : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                class={classOf(column)}
                aria-sort={column.sort === undefined ? undefined : SORTED[column.sort.order ?? 'none']}
              >
                <Title column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map((column, index) => (
                <td key={index} class={classOf(column)} data-label={labelOf(column)}>
                  <div class="table__value">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const SORTED = { asc: 'ascending', desc: 'descending', none: 'none' } as const
const MARKS = { asc: '↑', desc: '↓', none: '' } as const

function Title<Row>({ column: { title, sort } }: { readonly column: Column<Row> }) {
  if (sort === undefined) return <>{title}</>
  const { order, first = 'asc' } = sort
  const next = order === undefined ? first : order === 'asc' ? 'desc' : 'asc'
  return (
    <button type="button" class="table__sort" onClick={() => sort.by(next)}>
      {title}
      <span class="table__mark" aria-hidden="true">
        {MARKS[order ?? 'none']}
      </span>
    </button>
  )
}

function classOf<Row>({ isNumber, isName, isMenu }: Column<Row>): string | undefined {
  const names = [isNumber && 'number', isName && 'table__name', isMenu && 'table__menu']
  return names.filter(Boolean).join(' ') || undefined
}

function labelOf<Row>({ label, title }: Column<Row>): string {
  return label ?? (typeof title === 'string' ? title : '')
}
