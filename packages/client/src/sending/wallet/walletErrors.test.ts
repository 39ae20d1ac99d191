import {
  BaseError,
  InternalRpcError,
  InvalidParamsRpcError,
  MethodNotFoundRpcError,
  RpcRequestError,
  TransactionExecutionError,
  UserRejectedRequestError,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { cannotSendCalls, isRefusedByNode, isRejection, revertData } from './walletErrors.ts'

const coded = (code: number, message = 'no') => Object.assign(new Error(message), { code })
const wrapped = (cause: Error) => new BaseError('it failed', { cause })

describe('what a wallet’s error means', () => {
  it.each([4001, 5000, 5750])('is the user’s refusal for %i, however deep it lies', (code) => {
    expect(isRejection(wrapped(wrapped(coded(code))))).toBe(true)
    expect(cannotSendCalls(wrapped(coded(code)))).toBe(false)
  })

  it.each([-32601, -32004, 4200, 5700, 5710, 5740, 5760])(
    'is that there are no calls to send for %i',
    (code) => {
      expect(cannotSendCalls(wrapped(coded(code)))).toBe(true)
    },
  )

  it('is for -32602 only where the wallet says it itself of what it was asked', () => {
    expect(cannotSendCalls(new InvalidParamsRpcError(coded(-32602)))).toBe(true)
    const handedOn = Object.assign(coded(-32603), { cause: coded(-32602) })
    expect(cannotSendCalls(new InternalRpcError(handedOn))).toBe(false)
    const refused = Object.assign(coded(-32602), { cause: coded(4001) })
    expect(cannotSendCalls(new InvalidParamsRpcError(refused))).toBe(false)
  })

  it.each([-32603, -32000, 5720, 4900, 429])('is not known to have sent nothing for %i', (code) => {
    expect(cannotSendCalls(coded(code))).toBe(false)
  })

  it('is read from viem’s own errors', () => {
    const rejected = new UserRejectedRequestError(new Error('no'))
    expect(isRejection(new TransactionExecutionError(rejected, { account: null, to: null }))).toBe(true)
    expect(cannotSendCalls(new MethodNotFoundRpcError(new Error('no'), { method: 'wallet_sendCalls' }))).toBe(
      true,
    )
    const unnamed = new Error('the method wallet_sendCalls does not exist/is not available')
    expect(cannotSendCalls(unnamed)).toBe(true)
  })

  it('is a node’s refusal only where the node has answered, and has not the transaction already', () => {
    const answered = (code: number, message: string) =>
      wrapped(new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } }))
    expect(isRefusedByNode(answered(-32000, 'insufficient funds'))).toBe(true)
    expect(isRefusedByNode(answered(-32000, 'already known'))).toBe(false)
    const handedOn = 'Post "https://sequencer.example": context deadline exceeded'
    expect(isRefusedByNode(answered(-32000, handedOn))).toBe(false)
    expect(isRefusedByNode(answered(-32603, 'timeout upstream'))).toBe(false)
    expect(isRefusedByNode(answered(-32005, 'limit exceeded'))).toBe(false)
    expect(isRefusedByNode(wrapped(new TypeError('fetch failed')))).toBe(false)
    expect(isRefusedByNode(wrapped(new DOMException('This operation was aborted', 'AbortError')))).toBe(false)
  })
})

it('revertData finds the data in a node’s error, in either form', () => {
  expect(revertData(wrapped(Object.assign(coded(3), { data: '0x08c379a0' })))).toBe('0x08c379a0')
  expect(revertData(Object.assign(coded(3), { data: { data: '0x12' } }))).toBe('0x12')
  expect(revertData(Object.assign(coded(3), { data: 'Reverted' }))).toBeUndefined()
})
