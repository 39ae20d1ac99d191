import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { revertReason } from './simulateReverts.ts'

const abi = parseAbi(['error Error(string reason)'])
const notDue = encodeErrorResult({ abi, args: ['6'] })

describe('the reason', () => {
  it('is the protocol’s if it is one', () => {
    expect(revertReason({ data: notDue, ranOutOfGas: false })).toMatchObject({
      protocolCode: '6',
      name: 'REMIT_NOT_DUE',
    })
  })

  it('keeps the raw data where it cannot be read', () => {
    expect(revertReason({ data: '0xdeadbeef01', ranOutOfGas: false })).toMatchObject({
      name: 'UNKNOWN_REVERT',
      data: '0xdeadbeef01',
    })
  })

  it('says so if there is none, or if the gas ran out', () => {
    expect(revertReason({ data: '0x', ranOutOfGas: false })).toMatchObject({ name: 'EMPTY_REVERT' })
    expect(revertReason({ data: '0x', ranOutOfGas: true })).toMatchObject({ name: 'OUT_OF_GAS' })
  })
})
