import { type Address, getAddress, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeLog } from '../../../test/support/models/encodeLog.ts'
import { transferDeltas } from './simulate.ts'

const USDC = getAddress('0x00000000000000000000000000000000000000c1')
const DAI = getAddress('0x00000000000000000000000000000000000000c2')
const ALICE = getAddress('0x00000000000000000000000000000000000000a1')
const BOB = getAddress('0x00000000000000000000000000000000000000b2')

const transfer = (token: Address, from: Address, to: Address, value: bigint) =>
  encodeLog(token, 'Transfer', { from, to, value })

describe('balance changes', () => {
  it('are exact sums per account and token', () => {
    const most = 2n ** 255n
    expect(
      transferDeltas([
        transfer(USDC, ALICE, BOB, most),
        transfer(DAI, ALICE, BOB, 7n),
        transfer(USDC, ALICE, BOB, 1n),
      ]),
    ).toEqual([
      { account: ALICE, token: USDC, delta: -most - 1n },
      { account: BOB, token: USDC, delta: most + 1n },
      { account: ALICE, token: DAI, delta: -7n },
      { account: BOB, token: DAI, delta: 7n },
    ])
  })

  it('leave out sums of zero, transfers to oneself, and the zero address', () => {
    expect(
      transferDeltas([
        transfer(USDC, ALICE, BOB, 5n),
        transfer(USDC, BOB, ALICE, 5n),
        transfer(USDC, ALICE, ALICE, 9n),
        transfer(DAI, zeroAddress, BOB, 3n),
      ]),
    ).toEqual([{ account: BOB, token: DAI, delta: 3n }])
  })

  it('ignore logs that are no transfers', () => {
    expect(transferDeltas([{ ...transfer(USDC, ALICE, BOB, 5n), data: '0x' }])).toEqual([])
  })
})
