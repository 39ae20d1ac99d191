import { describe, expect, it } from 'vitest'
import { answersIn, difference, parseAbridged } from './abridged.ts'
import { commandsOf, startedWith } from './commands.ts'
import { FORBIDDEN } from './leftOut.ts'
import { samePrint } from './print.ts'

const id = (digit: string) => `0x${digit.repeat(64)}`

describe('what a document shows of an answer', () => {
  it('may leave out the rest of objects and lists', () => {
    expect(parseAbridged('{ "a": 1, "b": { … }, "c": [1, …], "d": "x…y", … }')).toEqual({
      a: 1,
      b: { '…': '…' },
      c: [1, '…'],
      d: 'x…y',
      '…': '…',
    })
    expect(() => parseAbridged('{ "a": 1, }')).toThrow(SyntaxError)
  })

  it.each([
    ['the same shape with other values', { a: 'x', b: [1, 2] }, { a: 'y', b: [3] }],
    ['a null for a value, either way', { a: null, b: 1 }, { a: 'x', b: null }],
    ['more keys where the rest is left out', { a: 1, '…': '…' }, { a: 2, b: 3 }],
    ['one of several kinds of rows', { rows: [{ a: 1 }] }, { rows: [{ b: 1 }, { a: 2 }] }],
    ['a text that is shortened', { a: '0x12…34' }, { a: id('1') }],
  ])('is like %s', (_title, shown, real) => {
    expect(difference(shown, real)).toBeUndefined()
  })

  it.each([
    ['a key is gone', { a: 1, b: 2 }, { a: 1 }, 'has no b'],
    ['a key has come', { a: 1 }, { a: 1, b: 2 }, 'also has b'],
    ['a number has become a text', { a: 1 }, { a: '1' }, 'the answer.a'],
    ['a list has become an object', { a: [1] }, { a: { b: 1 } }, 'the answer.a'],
    ['an amount has become a text', { a: '5' }, { a: 'five' }, 'a text, and shown is a number'],
    ['an id has become an address', { a: id('1') }, { a: `0x${'1'.repeat(40)}` }, 'an address'],
    ['no row is like the one shown', { rows: [{ a: 1 }] }, { rows: [{ b: 1 }] }, 'rows[0] has no a'],
  ])('is not the answer any more where %s', (_title, shown, real, words) => {
    expect(difference(shown, real)).toContain(words)
  })

  it('tells which id really stands where it shows one', () => {
    const ids: string[][] = []
    const note = (...pair: string[]) => ids.push(pair)
    difference(
      { ids: [id('1')], of: { id: id('2') } },
      { ids: [id('a'), id('b')], of: { id: id('c') } },
      note,
    )
    expect(ids).toEqual([
      [id('1'), id('a')],
      [id('2'), id('c')],
    ])
  })

  it('is looked for in all that was printed', () => {
    expect([...answersIn('note [x]\n{"a":{"b":"}"}}{"c":1}')]).toEqual([
      { a: { b: '}' } },
      { b: '}' },
      { c: 1 },
    ])
  })
})

it('what a document shows of a program’s output is the same but for numbers, days and ids, in its order', () => {
  samePrint('on 2026-11-21: 5 USDC\n…\nid 0x12ab…cd', 'first\non 2027-01-02: 12.5 USDC\nmore\nid 0xfeed…ed\n')
  expect(() => samePrint('b\na', 'a\nb')).toThrow('did not print "a"')
  expect(() => samePrint('paid 5 DAI', 'paid 5 USDC')).toThrow('did not print "paid 5 DAI"')
})

describe('the commands of a block', () => {
  it('are those that are not run elsewhere', () => {
    expect(commandsOf('npm ci && npm start\ncurl -s x \\\n  -d y # why\n')).toBe('curl -s x -d y')
    expect(commandsOf('RPC_URL_8453=https://your-rpc.example npm run serve')).toBe('')
    expect(commandsOf('npm startle')).toBe('npm startle')
  })

  it('tell what the service is to be started with', () => {
    const text = 'A_B=http://x:1 C=2 npm start\n'
    expect(startedWith([{ file: 'x.md', line: 1, language: 'sh', text }])).toEqual({
      A_B: 'http://x:1',
      C: '2',
    })
  })

  it.each(['sudo ls', 'cp a /etc/remit.env', 'rm -rf x', 'docker ps'])('are never %s', (command) => {
    expect(command).toMatch(FORBIDDEN)
  })
})
