import type { Address, Hex } from 'viem'
import { expect, it } from 'vitest'
import type { RemitStep } from '../remit/forecastRemit.ts'
import { chargesOf, packCharges } from './PackedCharges.ts'

const ALICE: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const BOB: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const [PLAN, OTHER]: Hex[] = [`0x${'1d'.repeat(32)}`, `0x${'2d'.repeat(32)}`]

function step(
  dayNumber: number,
  charges: readonly [Hex | undefined, Address, 'paid' | 'failed', bigint?][],
): RemitStep {
  const rows = charges.map(([id = '0x', subscriber, outcome, taken]) => ({ id, subscriber, outcome, taken }))
  // Safe: nothing else of a step is packed.
  return { dayNumber, charges: rows } as unknown as RemitStep
}

it('gives each account its own charges back, in remit’s order and with the days', () => {
  const packed = packCharges([
    step(5, [
      [PLAN, ALICE, 'paid'],
      [PLAN, BOB, 'failed'],
    ]),
    step(7, [
      [OTHER, ALICE, 'paid', 2n ** 200n],
      [PLAN, ALICE, 'failed'],
    ]),
  ])
  expect(chargesOf(structuredClone(packed), ALICE)).toEqual([
    { dayNumber: 5, id: PLAN, hasFailed: false },
    { dayNumber: 7, id: OTHER, hasFailed: false, taken: 2n ** 200n },
    { dayNumber: 7, id: PLAN, hasFailed: true },
  ])
  expect(chargesOf(packed, BOB)).toEqual([{ dayNumber: 5, id: PLAN, hasFailed: true }])
  expect(chargesOf(packed, '0x0000000000000000000000000000000000000001')).toEqual([])
  expect([...packed.counts]).toEqual([
    [5, 2],
    [7, 2],
  ])
})
