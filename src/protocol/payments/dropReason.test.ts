import { expect, it } from 'vitest'
import { dropReason } from './dropReason.ts'

it.each([
  [99n, 99n, 'both'],
  [99n, 100n, 'balance'],
  [100n, 99n, 'allowance'],
  [100n, 100n, 'unknown'],
] as const)(
  'with a balance of %s and an allowance of %s, a period of 100 lacks: %s',
  (balance, allowance, reason) => {
    expect(dropReason({ balance, allowance }, 100n)).toBe(reason)
  },
)
