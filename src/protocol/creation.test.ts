import { expect, it } from 'vitest'
import { subscriptionId } from './creation.ts'

it('derives the ids that the deployed contract gave', () => {
  const creator = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  expect(subscriptionId(creator, 0n, 1706746044)).toBe(
    '0x5c66e0232c778910b820ffe71637a041b0626f2a6128fc0aa86e8b736341f686',
  )
  expect(subscriptionId(creator, 1n, 1706746045)).toBe(
    '0xb4dda8cf929e46eede0de06658455a80e221d8344770df566b8bd26f3dc502a3',
  )
})
