import { expect, it } from 'vitest'
import { barChartOf, barOf } from './barChart.ts'
import type { Terminal } from './Terminal.ts'

const terminal = (columns: number, colours = false): Terminal => ({
  isTty: true,
  columns,
  colours,
  out() {},
  err() {},
})

const bars = [
  { label: '2026-03-02', parts: [{ value: 40n, kind: 'full' as const }], text: '40 USDC' },
  {
    label: '2026-03-09',
    parts: [
      { value: 20n, kind: 'full' as const },
      { value: 1n, kind: 'light' as const },
    ],
    text: '20 USDC, 1 USDC not paid',
  },
  { label: 'later', parts: [], text: 'nothing' },
]

it('draws bars in proportion, with a cell for whatever is not 0', () => {
  expect(barChartOf(terminal(60), bars)).toBe(
    [
      `2026-03-02  ${'█'.repeat(22)} 40 USDC`,
      `2026-03-09  ${'█'.repeat(11)}░ 20 USDC, 1 USDC not paid`,
      'later       nothing',
      '',
    ].join('\n'),
  )
})

it('stays within forty cells without a terminal, and has eight in a narrow one', () => {
  const [first = ''] = barChartOf(terminal(Number.POSITIVE_INFINITY), bars).split('\n')
  expect(first.match(/█/g)).toHaveLength(40)
  const [narrow = ''] = barChartOf(terminal(10), bars).split('\n')
  expect(narrow.match(/█/g)).toHaveLength(8)
})

it('draws nothing that a stranger wrote as it is, and no bars of nothing', () => {
  const text = '\u001b[31mred'
  expect(
    barChartOf(terminal(80), [{ label: 'a', parts: [{ value: 0n, kind: 'full' }], text }]),
  ).not.toContain('\u001b')
  expect(barChartOf(terminal(80), [])).toBe('')
})

it('is as long as its part of the longest one, in eighths of a cell', () => {
  expect([8n, 4n, 1n, 0n].map((value) => barOf(value, 8n, 4))).toEqual(['████', '██', '▌', ''])
})

it('shows whatever is above zero, and nothing where all is zero', () => {
  expect([barOf(1n, 10n ** 30n, 4), barOf(0n, 0n, 4)]).toEqual(['▏', ''])
})
