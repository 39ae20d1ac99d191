import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'
import { callFailure, revertReason } from './simulateReverts.ts'

const abi = parseAbi(['error Error(string reason)'])
const notDue = encodeErrorResult({ abi, args: ['6'] })

describe('a failed call', () => {
  it.each([
    ['geth', 3, 'execution reverted: 6', notDue],
    ['a node with a code of its own', -32015, 'VM execution error.', notDue],
    ['a node without the data', -32000, 'execution reverted', '0x'],
    ['a node with only the code', 3, 'failed', '0x'],
    ['geth, for an invalid opcode', -32000, 'invalid opcode: INVALID', '0x'],
  ] as const)('is told from a refusal: %s', (_, code, message, data) => {
    const error = new RpcResponseError({ code, message, ...(data === '0x' ? {} : { data }) })
    expect(callFailure(error)).toEqual({ data, ranOutOfGas: false })
  })

  it.each([
    'out of gas',
    'EVM error OutOfGas',
    'EVM error ReentrancySentryOOG',
    'not enough gas for reentrancy sentry',
    'gas required exceeds allowance (21000)',
    'intrinsic gas too low: have 21000, want 21644',
  ])('ran out of gas: %s', (message) => {
    expect(callFailure(new RpcResponseError({ code: -32000, message }))).toEqual({
      data: '0x',
      ranOutOfGas: true,
    })
  })

  it.each([
    new RpcResponseError({ code: -32601, message: 'method not found' }),
    new RpcResponseError({ code: -32602, message: 'too many arguments, want at most 2' }),
    new RpcResponseError({ code: -32000, message: 'missing trie node' }),
    new UnknownBlockError({ code: 3, message: 'execution reverted' }),
    new Error('execution reverted'),
  ])('is not what the node itself refused: $message', (error) => {
    expect(callFailure(error)).toBeUndefined()
  })
})

describe('the reason', () => {
  it('is the protocol’s where it is one', () => {
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

  it('says so where there is none, or where the gas ran out', () => {
    expect(revertReason({ data: '0x', ranOutOfGas: false })).toMatchObject({ name: 'EMPTY_REVERT' })
    expect(revertReason({ data: '0x', ranOutOfGas: true })).toMatchObject({ name: 'OUT_OF_GAS' })
  })
})
