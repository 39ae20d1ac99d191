import { expect, it } from 'vitest'
import { type CreditTrial, statesWhatMoves } from './creditTrial.ts'

const AMOUNT = 10_000_000n
const plain: CreditTrial = {
  asked: AMOUNT,
  loggedIn: AMOUNT,
  loggedOut: AMOUNT,
  arrived: AMOUNT,
  left: AMOUNT,
}

it.each<[string, Partial<CreditTrial>, boolean]>([
  ['a plain token', {}, true],
  ['one that keeps a part, and logs it', { loggedIn: 99n, arrived: 99n }, true],
  ['one that credits less than it logs', { arrived: AMOUNT - 100_000n }, false],
  ['one that credits more', { arrived: AMOUNT + 3n }, false],
  ['one that takes more from the payer than it logs', { left: AMOUNT + 100_000n }, false],
  ['one that logs nothing', { loggedIn: 0n, loggedOut: 0n }, false],
  ['one that keeps shares, and rounds', { arrived: AMOUNT - 2n, left: AMOUNT - 1n }, true],
  [
    'a unit of a small amount, which is no rounding',
    { asked: 5n, loggedIn: 5n, loggedOut: 5n, left: 5n, arrived: 4n },
    false,
  ],
])('tells whether logs state what moves: %s', (_, trial, expected) => {
  expect(statesWhatMoves({ ...plain, ...trial })).toBe(expected)
})
