import { contractAt } from '@remit/testing/support/chain/contractAt'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { signerOf } from '@remit/testing/support/wallets/signerOf'
import { type Hex, parseEventLogs, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { UsdcLikeToken } from '../generated/UsdcLikeToken.ts'
import { deploySigned, deployWallet, mirrored, partsOf } from './signing.ts'

const chain = await useTestChain()
const { alice, bob, stranger } = chain.wallets
const [aliceKey, bobKey] = [signerOf(3), signerOf(4)]

const { address, domain } = await deploySigned(chain, UsdcLikeToken, '2')
const token = contractAt(chain.client, address, UsdcLikeToken.abi)
const wallet = await deployWallet(chain, alice)
for (const holder of [alice, wallet]) await token.send(stranger, 'mint', [holder, 100n])
await chain.keep()

const MOVE = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const TYPES = {
  TransferWithAuthorization: MOVE,
  ReceiveWithAuthorization: MOVE,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const now = BigInt(await chain.now())
const usual = {
  from: alice,
  to: bob,
  value: 7n,
  validAfter: now - 1n,
  validBefore: now + 3_600n,
  nonce: zeroHash,
}
type Move = typeof usual

const signMove = (
  message: Move = usual,
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
  key = aliceKey,
) => key.signTypedData({ domain, types: TYPES, primaryType, message })
const signCancel = (key = aliceKey) =>
  key.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'CancelAuthorization',
    message: { authorizer: alice, nonce: usual.nonce },
  })

test.each([
  [
    'TRANSFER_WITH_AUTHORIZATION_TYPEHASH',
    '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
  ],
  [
    'RECEIVE_WITH_AUTHORIZATION_TYPEHASH',
    '0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8',
  ],
  ['CANCEL_AUTHORIZATION_TYPEHASH', '0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429'],
] as const)('%s is that of the standard', async (name, hash) => {
  expect(await token.read(name, [])).toBe(hash)
})

describe.each([
  ['three parts', false],
  ['bytes', true],
])('an authorization with its signature in %s', (_, inBytes) => {
  const argsOf = ({ from, to, value, validAfter, validBefore, nonce }: Move, signature: Hex) =>
    inBytes
      ? ([from, to, value, validAfter, validBefore, nonce, signature] as const)
      : ([from, to, value, validAfter, validBefore, nonce, ...partsOf(signature)] as const)
  const cancelArgs = (signature: Hex) =>
    inBytes
      ? ([alice, usual.nonce, signature] as const)
      : ([alice, usual.nonce, ...partsOf(signature)] as const)
  const refusal = (signature: Hex, message = usual) =>
    token.reverts(stranger, 'transferWithAuthorization', argsOf(message, signature))
  const isUsed = () => token.read('authorizationState', [alice, usual.nonce])
  const SPENT = 'authorization is used or cancelled'

  test('pays once, whoever hands it in', async () => {
    const signature = await signMove()
    expect(await isUsed()).toBe(false)
    const logs = await token.send(stranger, 'transferWithAuthorization', argsOf(usual, signature))
    expect(parseEventLogs({ abi: UsdcLikeToken.abi, logs })).toMatchObject([
      { eventName: 'AuthorizationUsed', args: { authorizer: alice, nonce: usual.nonce } },
      { eventName: 'Transfer', args: { from: alice, to: bob, value: 7n } },
    ])
    expect(await token.read('balanceOf', [bob])).toBe(7n)
    expect(await isUsed()).toBe(true)
    expect(await refusal(signature)).toBe(SPENT)
    expect(await token.reverts(stranger, 'cancelAuthorization', cancelArgs(await signCancel()))).toBe(SPENT)
  })

  test('to be received is handed in by the payee alone', async () => {
    const args = argsOf(usual, await signMove(usual, 'ReceiveWithAuthorization'))
    expect(await token.reverts(stranger, 'receiveWithAuthorization', args)).toBe('caller is not the payee')
    await token.send(bob, 'receiveWithAuthorization', args)
    expect(await token.read('balanceOf', [bob])).toBe(7n)
    expect(await token.reverts(bob, 'receiveWithAuthorization', args)).toBe(SPENT)
  })

  test('is cancelled by whoever signed it', async () => {
    const byAnother = await signCancel(bobKey)
    expect(await token.reverts(stranger, 'cancelAuthorization', cancelArgs(byAnother))).toBe(
      'invalid signature',
    )
    const logs = await token.send(stranger, 'cancelAuthorization', cancelArgs(await signCancel()))
    expect(parseEventLogs({ abi: UsdcLikeToken.abi, logs })).toMatchObject([
      { eventName: 'AuthorizationCanceled', args: { authorizer: alice, nonce: usual.nonce } },
    ])
    expect(await refusal(await signMove())).toBe(SPENT)
  })

  test.each([
    ['in the second after which it is valid', { validAfter: now }, 'authorization is not valid yet'],
    ['at the end of its time', { validBefore: now }, 'authorization is no longer valid'],
    ['for more than there is', { value: 101n }, `ERC20InsufficientBalance(${alice},100,101)`],
  ])('is refused %s', async (_, changes, reason) => {
    const message = { ...usual, ...changes }
    expect(await refusal(await signMove(message), message)).toBe(reason)
  })

  test.each([
    ['by another key', () => signMove(usual, 'TransferWithAuthorization', bobKey)],
    ['for another payee', () => signMove({ ...usual, to: stranger })],
    ['for another value', () => signMove({ ...usual, value: 8n })],
    ['to be received', () => signMove(usual, 'ReceiveWithAuthorization')],
    ['and altered to its mirrored form', async () => mirrored(await signMove())],
  ])('is refused where it was signed %s', async (_, signing) => {
    expect(await refusal(await signing())).toBe('invalid signature')
    expect(await refusal(await signMove())).toBeUndefined()
  })

  test('of a wallet that is a contract is taken from its owner', async () => {
    const message = { ...usual, from: wallet }
    const byAnother = await signMove(message, 'TransferWithAuthorization', bobKey)
    expect(await refusal(byAnother, message)).toBe('invalid signature')
    const signature = await signMove(message)
    await token.send(stranger, 'transferWithAuthorization', argsOf(message, signature))
    expect(await token.read('balanceOf', [bob])).toBe(7n)
    expect(await refusal(signature, message)).toBe(SPENT)
  })
})
