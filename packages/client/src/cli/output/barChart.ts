import { plainText, textWidth } from './plainText.ts'
import { styled, type Terminal } from './Terminal.ts'

/** What a bar ends with: so many eighths of a cell. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of at most so many cells, in proportion to the longest one. Whatever is above zero shows. */
export function barOf(value: bigint, longest: bigint, cells: number): string {
  if (value <= 0n || longest <= 0n) return ''
  const eighths = Math.max(1, Number((value * BigInt(cells * 8)) / longest))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

/** One line of a chart. */
export interface Bar {
  readonly label: string
  /** The parts of the bar, from its foot on, in any one unit. */
  readonly parts: readonly { readonly value: bigint; readonly kind: 'full' | 'light' }[]
  /** What stands behind the bar. */
  readonly text: string
}

const MOST_CELLS = 40
const LEAST_CELLS = 8
const CELLS = { full: '█', light: '░' } as const

/** Bars under each other, the longest as long as there is room. A part that is not 0 has one cell at least. */
export function barChartOf(terminal: Terminal, bars: readonly Bar[]): string {
  const labels = bars.map(({ label }) => plainText(label))
  const width = Math.max(0, ...labels.map(textWidth))
  const texts = bars.map(({ text }) => plainText(text))
  const room = terminal.columns - width - Math.max(0, ...texts.map(textWidth)) - 4
  const cells = BigInt(Math.floor(Math.max(LEAST_CELLS, Math.min(MOST_CELLS, room))))
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0n))
  // At least 1: the bars are divided by it.
  let largest = 1n
  for (const sum of sums) if (sum > largest) largest = sum
  const lines = bars.map(({ parts }, index) => {
    const drawn = parts.map(({ value, kind }) => {
      const scaled = (value * cells + largest / 2n) / largest
      const length = value > 0n && scaled === 0n ? 1n : scaled
      return styled(terminal, kind === 'full' ? 'green' : 'red', CELLS[kind].repeat(Number(length)))
    })
    const label = labels[index] ?? ''
    const bar = drawn.join('')
    return `${label}${' '.repeat(width - textWidth(label))}  ${bar}${bar === '' ? '' : ' '}${texts[index] ?? ''}`
  })
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
