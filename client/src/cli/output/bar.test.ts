import { expect, it } from 'vitest'
import { barOf } from './bar.ts'

it('is as long as its part of the longest one, in eighths of a cell', () => {
  expect([8n, 4n, 1n, 0n].map((value) => barOf(value, 8n, 4))).toEqual(['████', '██', '▌', ''])
})

it('shows whatever is above zero, and nothing where all is zero', () => {
  expect([barOf(1n, 10n ** 30n, 4), barOf(0n, 0n, 4)]).toEqual(['▏', ''])
})
