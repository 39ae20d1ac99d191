import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { toSharedWith } from './sharedWith.ts'

it('lists a hundred subscriptions in the order in which remit charges them, and counts all', () => {
  const ids = Array.from({ length: 120 }, (_, place) => numberToHex(place, { size: 32 }))
  // Their due list has them in this order, and remit walks it from its end.
  const dueOrder = [...ids.slice(60), ...ids.slice(0, 60)]
  const { sharedWith, sharedWithCount } = toSharedWith(
    ids.map((id) => ({ terms: { id } })),
    dueOrder,
  )
  expect(sharedWithCount).toBe(120)
  expect(sharedWith).toEqual(dueOrder.toReversed().slice(0, 100))
})
