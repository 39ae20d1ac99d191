import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { RpcResponseError, refusalIn, toResponseError, UnknownBlockError } from './refusal.ts'

const abi = parseAbi(['error Error(string reason)'])
const notDue = encodeErrorResult({ abi, args: ['6'] })

describe('a failed call', () => {
  it.each([
    ['geth', 3, 'execution reverted: 6', notDue],
    ['a node with a code of its own', -32015, 'VM execution error.', notDue],
    ['hardhat', -32603, "VM Exception while processing transaction: reverted with reason string '6'", notDue],
    ['a node without the data', -32000, 'execution reverted', '0x'],
    ['a node with only the code', 3, 'failed', '0x'],
    ['geth, for an invalid opcode', -32000, 'invalid opcode: INVALID', '0x'],
  ] as const)('is told from a refusal: %s', (_, code, message, data) => {
    const error = new RpcResponseError({ code, message, ...(data === '0x' ? {} : { data }) })
    expect(refusalIn(error)).toEqual({ kind: 'reverted', data, ranOutOfGas: false, error })
  })

  it.each([
    'out of gas',
    'EVM error OutOfGas',
    'EVM error ReentrancySentryOOG',
    'not enough gas for reentrancy sentry',
    'gas required exceeds allowance (21000)',
    'intrinsic gas too low: have 21000, want 21644',
  ])('ran out of gas: %s', (message) => {
    const error = new RpcResponseError({ code: -32000, message })
    expect(refusalIn(error)).toEqual({ kind: 'reverted', data: '0x', ranOutOfGas: true, error })
  })

  it('ran out of gas also where the node adds an empty reason, but not where the contract chose the words', () => {
    const words = { code: -32000, message: 'Transaction ran out of gas' }
    expect(refusalIn(new RpcResponseError({ ...words, data: '0x' }))).toMatchObject({ ranOutOfGas: true })
    expect(refusalIn(new RpcResponseError({ ...words, data: notDue }))).toMatchObject({ ranOutOfGas: false })
  })

  it('is told from what the node itself refuses, with whether it lacks the method', () => {
    const refusals: [number, string, boolean][] = [
      [-32601, 'method not found', true],
      [-32004, 'Method eth_simulateV1 is not supported', true],
      [-32000, 'the method eth_simulateV1 is not available', true],
      [-32602, 'too many arguments, want at most 2', false],
      [-38026, 'client limit exceeded', false],
    ]
    for (const [code, message, lacksMethod] of refusals) {
      const error = new RpcResponseError({ code, message })
      expect(refusalIn(error)).toEqual({ kind: 'refused', lacksMethod, error })
    }
  })

  it('is told from a block that the node does not have, and from what is no refusal', () => {
    const error = new UnknownBlockError({ code: 3, message: 'execution reverted' })
    expect(refusalIn(error)).toEqual({ kind: 'unknownBlock', error })
    for (const message of [
      'missing trie node',
      'Received invalid block tag 39321. Latest block number is 5',
      'blockHash cannot be found',
    ]) {
      expect(toResponseError({ code: -32000, message })).toBeInstanceOf(UnknownBlockError)
    }
    expect(refusalIn(new Error('execution reverted'))).toBeUndefined()
  })
})
