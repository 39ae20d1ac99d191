import { expect, it } from 'vitest'
import { nextBlock } from './simulateBlock.ts'

const DAY = 86_400
const at = (timestamp: number) => ({ blockNumber: 41, blockHash: `0x${'ab'.repeat(32)}` as const, timestamp })
const timeOf = (timestamp: number, headAgeSeconds?: number) =>
  Number(nextBlock({ asOf: at(timestamp), ...(headAgeSeconds === undefined ? {} : { headAgeSeconds }) }).time)

it('proves in the block after the view’s', () => {
  expect(nextBlock({ asOf: at(10 * DAY) }).number).toBe('0x2a')
})

it('gives the block the time that has passed since the head was seen, a second at least', () => {
  expect(timeOf(10 * DAY)).toBe(10 * DAY + 1)
  expect(timeOf(10 * DAY, 0.9)).toBe(10 * DAY + 1)
  expect(timeOf(10 * DAY, 7.9)).toBe(10 * DAY + 7)
})

it('stays in the view’s day while there is a second of it left', () => {
  expect(timeOf(11 * DAY - 30, 60)).toBe(11 * DAY - 1)
  expect(timeOf(11 * DAY - 2, 60)).toBe(11 * DAY - 1)
  expect(timeOf(11 * DAY - 1, 0)).toBe(11 * DAY)
})
