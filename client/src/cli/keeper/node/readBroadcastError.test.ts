import { HttpRequestError, RpcRequestError, TransactionExecutionError, UnknownRpcError } from 'viem'
import { expect, it } from 'vitest'
import { readBroadcastError } from './readBroadcastError.ts'

function said(message: string, code = -32_000): Error {
  const cause = new RpcRequestError({ body: {}, error: { code, message }, url: 'http://node.example/key' })
  return new UnknownRpcError(cause)
}

it.each([
  'already known',
  'AlreadyKnown',
  'known transaction: 0x1',
  'transaction already in mempool',
  'transaction already imported',
])('takes "%s" for: it is on its way', (message) =>
  expect(readBroadcastError(said(message))).toEqual({ kind: 'accepted' }),
)

it.each([
  'nonce too low: address 0x1, tx: 1 state: 2',
  'nonce too low',
  'Nonce is too low',
  'OldNonce',
  'invalid nonce',
])('takes "%s" for: the nonce is taken', (message) =>
  expect(readBroadcastError(said(message))).toEqual({ kind: 'nonceTaken' }),
)

it.each([
  'replacement transaction underpriced',
  'insufficient funds for gas * price + value',
  'intrinsic gas too low',
])('takes "%s" for a refusal', (message) =>
  expect(readBroadcastError(said(message))).toEqual({ kind: 'refused', reason: message }),
)

it('knows nothing where the way to the node failed', () => {
  const cause = new HttpRequestError({ url: 'http://node.example', details: 'already known' })
  expect(readBroadcastError(new TransactionExecutionError(cause, { account: null }))).toBeUndefined()
  expect(readBroadcastError(new Error('already known'))).toBeUndefined()
})
