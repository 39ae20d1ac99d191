import { expect, it } from 'vitest'
import { fitText, textWidth } from './plainText.ts'
import { terminalOf } from './Terminal.ts'
import { type Column, factsOf, shortHex, tableOf } from './table.ts'

interface Row {
  readonly id: string
  readonly amount: string
  readonly text: string
}

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'ID', value: ({ id }) => id, shrinks: 'hex' },
  { heading: 'AMOUNT', value: ({ amount }) => amount, align: 'right' },
  { heading: 'TEXT', value: ({ text }) => text, shrinks: 'text' },
]

const ID = `0x${'12'.repeat(32)}`
const ROWS: readonly Row[] = [
  { id: ID, amount: '12.5 USDC', text: 'A bag of coffee every week' },
  { id: `0x${'ab'.repeat(32)}`, amount: '3 DAI', text: 'コーヒー' },
]

const wide = { isTty: false, columns: Number.POSITIVE_INFINITY, colours: false, out: () => {}, err: () => {} }

it('aligns its columns, amounts to the right', () => {
  const lines = tableOf(wide, COLUMNS, ROWS).split('\n')
  expect(lines[0]).toBe(`ID${' '.repeat(64)}     AMOUNT  TEXT`)
  expect(lines[2]).toBe(`0x${'ab'.repeat(32)}      3 DAI  コーヒー`)
})

it('shortens ids before it cuts texts, and gives the whole ids below', () => {
  const narrow = tableOf({ ...wide, columns: 60 }, COLUMNS, ROWS)
  expect(narrow).toContain('0x12121212…1212  12.5 USDC  A bag of coffee every week')
  expect(narrow).toContain(`\nID in full, in the same order:\n${ID}\n`)
  const narrower = tableOf({ ...wide, columns: 45 }, COLUMNS, ROWS)
  expect(narrower).toContain('A bag of coffee …\n')
})

it('never shortens anything where no terminal is', () => {
  expect(tableOf(wide, COLUMNS, ROWS)).not.toContain('…')
})

it('cannot be broken out of by a cell', () => {
  const table = tableOf(wide, COLUMNS, [{ id: ID, amount: '1\r\n', text: '\u001b[31mred\nsecond line' }])
  expect(table.trim().split('\n')).toHaveLength(2)
  expect(factsOf(wide, [['Name', 'a\nb']])).toBe('Name  a b\n')
})

it('knows which characters take two cells', () => {
  expect([
    textWidth('abc'),
    textWidth('コーヒー'),
    textWidth('👨‍👩‍👧'),
    textWidth('é'),
    textWidth('e\u0301'),
  ]).toEqual([3, 8, 2, 1, 1])
  expect(fitText('コーヒー', 5)).toBe('コー…')
  expect(fitText('abc', 3)).toBe('abc')
})

it('shortens ids and addresses, and nothing else', () => {
  expect(shortHex(ID)).toBe('0x12121212…1212')
  expect(shortHex('12.5 USDC')).toBe('12.5 USDC')
})

it('uses colours on a terminal, but not with NO_COLOR or a dumb one', () => {
  const on = (env: Record<string, string>, isTTY = true) =>
    terminalOf({ stdout: { isTTY, write: () => {} }, stderr: { write: () => {} }, env }).colours
  expect([on({}), on({ NO_COLOR: '1' }), on({ TERM: 'dumb' }), on({}, false)]).toEqual([
    true,
    false,
    false,
    false,
  ])
  const coloured = tableOf({ ...wide, colours: true }, COLUMNS, ROWS)
  expect(coloured.startsWith('\u001b[1mID')).toBe(true)
})
