import { fitText, plainText, textWidth } from './plainText.ts'
import { styled, type Terminal } from './Terminal.ts'

/** A column of a table that a command prints. */
export interface Column<Row> {
  readonly heading: string
  /** The cell. Untrusted text in it is made safe by the table. */
  value(row: Row): string
  readonly align?: 'right'
  /** How the cell is shortened if the line is too short: `hex`, an id or an address, in its middle; `text` at its end. */
  readonly shrinks?: 'hex' | 'text'
}

const GAP = '  '
const LEAST_TEXT_WIDTH = 12

/**
 * Rows as an aligned table that ends with a newline. If the terminal is too narrow, ids are shortened first, then
 * texts are cut. The full ids of the leftmost shortened column follow below, so that they can be copied.
 */
export function tableOf<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  const whole = rows.map((row) => columns.map((column) => plainText(column.value(row))))
  const { cells, shortened } = fitInto(terminal.columns, columns, whole)
  const widths = widthsOf(columns, cells)
  const line = (values: readonly string[]) =>
    values
      .map((value, index) => pad(value, widths[index] ?? 0, columns[index]?.align))
      .join(GAP)
      .trimEnd()
  const heading = styled(terminal, 'bold', line(columns.map((column) => column.heading)))
  const table = [heading, ...cells.map(line)].join('\n')
  if (shortened === undefined) return `${table}\n`
  const ids = whole.map((row) => row[shortened] ?? '')
  return `${table}\n\n${columns[shortened]?.heading ?? ''} in full, in the same order:\n${ids.join('\n')}\n`
}

/** Facts under each other: `name  value`, the names aligned. */
export function factsOf(
  terminal: Terminal,
  facts: readonly (readonly [name: string, value: string])[],
): string {
  const width = Math.max(0, ...facts.map(([name]) => textWidth(name)))
  const lines = facts.map(
    ([name, value]) => `${styled(terminal, 'bold', pad(name, width))}${GAP}${plainText(value)}`,
  )
  return `${lines.join('\n')}\n`
}

/** 0x1234abcd…cdef */
export function shortHex(text: string): string {
  return /^0x[0-9a-fA-F]{20,}$/.test(text) ? `${text.slice(0, 10)}…${text.slice(-4)}` : text
}

/** Shortens cells until a line fits. @returns `shortened`: the leftmost column whose ids were shortened */
function fitInto<Row>(room: number, columns: readonly Column<Row>[], whole: readonly (readonly string[])[]) {
  let cells = whole
  let shortened: number | undefined
  const overflow = () => lineWidth(widthsOf(columns, cells)) - room
  // The last columns are shortened first, because the first ones identify a row.
  const byShrink = (kind: Column<Row>['shrinks']) =>
    columns.flatMap((column, index) => (column.shrinks === kind ? [index] : [])).reverse()
  for (const index of byShrink('hex')) {
    if (overflow() <= 0) break
    cells = replaced(cells, index, shortHex)
    shortened = index
  }
  for (const index of byShrink('text')) {
    const surplus = overflow()
    if (surplus <= 0) break
    const width = Math.max(LEAST_TEXT_WIDTH, (widthsOf(columns, cells)[index] ?? 0) - surplus)
    cells = replaced(cells, index, (cell) => fitText(cell, width))
  }
  return { cells, shortened }
}

function replaced(cells: readonly (readonly string[])[], at: number, change: (cell: string) => string) {
  return cells.map((row) => row.map((cell, index) => (index === at ? change(cell) : cell)))
}

function widthsOf<Row>(columns: readonly Column<Row>[], cells: readonly (readonly string[])[]): number[] {
  return columns.map(({ heading }, index) =>
    Math.max(textWidth(heading), ...cells.map((row) => textWidth(row[index] ?? ''))),
  )
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1)
}

function pad(text: string, width: number, align?: 'right'): string {
  const room = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? `${room}${text}` : `${text}${room}`
}
