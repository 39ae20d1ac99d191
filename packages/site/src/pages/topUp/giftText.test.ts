import { expect, it } from 'vitest'
import { writeLink } from '../../signed/linkText.ts'
import { readGift, writeGift } from './giftText.ts'

const GIFT = {
  chainId: 8453,
  token: '0x00000000000000000000000000000000000000aa',
  payer: '0x00000000000000000000000000000000000000bb',
  account: '0x00000000000000000000000000000000000000cc',
  value: '10000000',
  validBefore: 1_773_662_400,
  signature: `0x${'ab'.repeat(65)}`,
} as const

it('is read as it was written, and takes nothing along that is no part of it', () => {
  expect(readGift(writeGift(GIFT))).toEqual(GIFT)
  expect(readGift(writeLink({ ...GIFT, from: GIFT.payer }))).toEqual(GIFT)
})

it.each([
  ['payer', 'bob.eth'],
  ['account', '0x12'],
  ['token', undefined],
  ['value', 1],
  ['value', '-1'],
  ['chainId', '8453'],
  ['validBefore', 1.5],
  ['signature', '0x'],
])('is none where its %s is %o', (field, wrong) => {
  expect(readGift(writeLink({ ...GIFT, [field]: wrong }))).toBeUndefined()
  expect(readGift('%%%')).toBeUndefined()
})
