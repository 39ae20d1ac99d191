import { describe, expect, it } from 'vitest'
import { readArguments, UsageError } from './keysCommand.ts'

describe('a command line', () => {
  it('makes a key', () => {
    expect(readArguments(['create', '--subject', 'ada', '--label', 'Billing', '--json'])).toEqual({
      name: 'create',
      json: true,
      input: { subjectId: 'ada', label: 'Billing', expiresAt: undefined },
    })
  })

  it.each([
    ['2031-12-31', 1_956_441_600],
    ['2031-12-31T12:00:00Z', 1_956_484_800],
    ['2031-12-31T12:00:00+02:00', 1_956_477_600],
  ])('takes %s as a time', (text, expiresAt) => {
    expect(readArguments(['create', '--subject', 'ada', '--expires', text])).toMatchObject({
      input: { expiresAt },
    })
  })

  it('lists everybody’s keys or one subject’s, and revokes by id', () => {
    expect(readArguments(['list'])).toEqual({ name: 'list', json: false, subjectId: undefined })
    expect(readArguments(['list', '--subject', 'ada'])).toMatchObject({ subjectId: 'ada' })
    expect(readArguments(['rotate', 'some-id'])).toEqual({ name: 'rotate', json: false, id: 'some-id' })
    expect(readArguments(['reseal'])).toEqual({ name: 'reseal' })
    expect(readArguments(['revoke', 'some-id'])).toEqual({ name: 'revoke', json: false, id: 'some-id' })
  })

  it.each([[[]], [['--help']], [['create', '-h']]])('asks for help: %j', (args) => {
    expect(readArguments(args)).toEqual({ name: 'help' })
  })

  it.each([
    [['--json'], 'Say create, list, rotate, revoke or reseal.'],
    [['delete'], 'There is no command delete.'],
    [['create'], 'create needs --subject'],
    [['create', '--subject'], "Option '--subject <value>' argument missing."],
    [['create', '--subject', 'ada', 'lovelace'], 'Unexpected text lovelace'],
    [['create', '--subject', 'ada', '--expires', 'tomorrow'], '--expires must be a date'],
    [['create', '--subject', 'ada', '--expires', '2031-02-30'], '--expires must be a date'],
    [['list', '--label', 'x'], 'list takes no --label.'],
    [['revoke'], 'revoke needs the id'],
    [['revoke', 'a', 'b'], 'Unexpected text b'],
    [['reseal', '--json'], 'reseal takes no --json.'],
    [['reseal', 'all'], 'Unexpected text all'],
    [['list', '--everything'], "Unknown option '--everything'."],
  ])('that are invalid say why: %j', (args, sentence) => {
    expect(() => readArguments(args)).toThrow(UsageError)
    expect(() => readArguments(args)).toThrow(sentence)
  })
})
