import { expect, it } from 'vitest'
import type { Command } from './Command.ts'
import { readCommandLine } from './readCommandLine.ts'

const command: Command = {
  name: 'keep',
  summary: '',
  operands: '',
  options: {
    'min-profit': { type: 'string', help: '' },
    price: { type: 'string', multiple: true, help: '' },
  },
  run: async () => undefined,
}

const read = (...args: string[]) => readCommandLine(args, [command])

it('finds the command behind global options and their values', () => {
  const { command: found, flags, operands } = read('--url', 'keep', '--json', 'keep', 'x')
  expect([found?.name, flags.text('url'), flags.isSet('json'), operands]).toEqual([
    'keep',
    'keep',
    true,
    ['x'],
  ])
})

it('takes a negative number for a value', () => {
  expect(read('keep', '--min-profit', '-0.001').flags.text('min-profit')).toBe('-0.001')
})

it('keeps every value of an option that may be repeated', () => {
  expect(read('keep', '--price', 'A=1', '--price=B=2').flags.list('price')).toEqual(['A=1', 'B=2'])
})

it.each([
  [['nothing'], 'There is no command nothing: there are keep.'],
  [['keep', '--what'], "Unknown option '--what'."],
  [['keep', '--min-profit'], "Option '--min-profit <value>' argument missing."],
])('refuses %j in a sentence', (args, sentence) => {
  expect(() => read(...args)).toThrow(sentence)
})

it('reads whole numbers within their range, and nothing else', () => {
  const { flags } = read('keep', '--min-profit', '12')
  expect(flags.whole('min-profit', { min: 0, max: 12 })).toBe(12)
  expect(() => flags.whole('min-profit', { min: 0, max: 11 })).toThrow('from 0 to 11')
  for (const text of ['1.5', '1e3', '-1', '', ' 1', '0x1']) {
    expect(() => read('keep', `--min-profit=${text}`).flags.whole('min-profit', { min: 0 })).toThrow(
      'whole number',
    )
  }
})
