import { contractAt } from '@remit/testing/support/chain/contractAt'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { signerOf } from '@remit/testing/support/wallets/signerOf'
import { domainSeparator, type Hex, maxUint256, parseAbi, parseEventLogs, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { DaiLikeToken } from '../generated/DaiLikeToken.ts'
import { PermitToken } from '../generated/PermitToken.ts'
import { TestToken } from '../generated/TestToken.ts'
import { UsdcLikeToken } from '../generated/UsdcLikeToken.ts'
import { deploySigned, deployWallet, mirrored, partsOf } from './signing.ts'

const chain = await useTestChain()
const { alice, bob, stranger } = chain.wallets
const [aliceKey, bobKey] = [signerOf(3), signerOf(4)]

const usdc = await deploySigned(chain, UsdcLikeToken, '2')
const plain = await deploySigned(chain, PermitToken, '1')
const dai = await deploySigned(chain, DaiLikeToken, '1')
const wallet = await deployWallet(chain, alice)
await chain.keep()

/** The standard's function, its form in bytes, and what OpenZeppelin reverts with. */
const STANDARD = [
  ...PermitToken.abi,
  ...parseAbi([
    'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
  ]),
] as const
const DAI_TYPEHASH = '0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb'
const TYPEHASH = '0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9'

const now = BigInt(await chain.now())
const past = now - 1n
const soon = now + 3_600n

describe('the domain of signatures', () => {
  test.each([
    ['USDC', usdc],
    ['OpenZeppelin', plain],
    ['DAI', dai],
  ])(
    'of a token as %s has it is that of its name, version, chain and address',
    async (_, { address, domain }) => {
      const token = contractAt(chain.client, address, PermitToken.abi)
      expect(await token.read('DOMAIN_SEPARATOR', [])).toBe(domainSeparator({ domain }))
      expect(await token.read('decimals', [])).toBe(6)
    },
  )

  test('is told by EIP-5267 by the token of OpenZeppelin alone, and its version alone by those of USDC and DAI', async () => {
    const at = (address: Hex) => contractAt(chain.client, address, [...UsdcLikeToken.abi, ...PermitToken.abi])
    expect(await chain.client.getEip712Domain(plain)).toMatchObject({ domain: plain.domain, fields: '0x0f' })
    expect(await at(plain.address).reverts(alice, 'version', [])).toBe('empty')
    for (const { address, domain } of [usdc, dai]) {
      expect(await at(address).reverts(alice, 'eip712Domain', [])).toBe('empty')
      expect(await at(address).read('version', [])).toBe(domain.version)
    }
  })

  test('and the types are those of the standards', async () => {
    expect(await contractAt(chain.client, usdc.address, UsdcLikeToken.abi).read('PERMIT_TYPEHASH', [])).toBe(
      TYPEHASH,
    )
    expect(await contractAt(chain.client, dai.address, DaiLikeToken.abi).read('PERMIT_TYPEHASH', [])).toBe(
      DAI_TYPEHASH,
    )
  })
})

const PERMIT = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

const usual = { owner: alice, spender: chain.contract, value: 7n, nonce: 0n, deadline: soon }

describe.each([
  {
    of: 'USDC, in three parts',
    ...usdc,
    inBytes: false,
    ofContracts: true,
    late: 'permit is past its deadline',
    bad: /^invalid signature$/,
  },
  {
    of: 'USDC, in bytes',
    ...usdc,
    inBytes: true,
    ofContracts: true,
    late: 'permit is past its deadline',
    bad: /^invalid signature$/,
  },
  {
    of: 'OpenZeppelin',
    ...plain,
    inBytes: false,
    ofContracts: false,
    late: `ERC2612ExpiredSignature(${past})`,
    bad: /^(ERC2612InvalidSigner|ECDSAInvalidSignature)/,
  },
])('a permit as of $of', ({ address, domain, inBytes, ofContracts, late, bad }) => {
  const token = contractAt(chain.client, address, STANDARD)
  const allowance = () => token.read('allowance', [usual.owner, usual.spender])
  const argsOf = ({ owner, spender, value, deadline }: typeof usual, signature: Hex) =>
    inBytes
      ? ([owner, spender, value, deadline, signature] as const)
      : ([owner, spender, value, deadline, ...partsOf(signature)] as const)
  const sign = (message = usual, key = aliceKey, within: object = {}) =>
    key.signTypedData({ domain: { ...domain, ...within }, types: PERMIT, primaryType: 'Permit', message })
  const carry = (message: typeof usual, signature: Hex) =>
    token.send(stranger, 'permit', argsOf(message, signature))
  const refusal = (signature: Hex, message = usual) =>
    token.reverts(stranger, 'permit', argsOf(message, signature))

  test('replaces the allowance, whoever hands it in, and only once', async () => {
    await token.send(alice, 'approve', [usual.spender, 100n])
    const signature = await sign()
    const logs = await carry(usual, signature)
    expect(parseEventLogs({ abi: TestToken.abi, logs })).toMatchObject([
      { eventName: 'Approval', args: { owner: alice, spender: usual.spender, value: 7n } },
    ])
    expect(await allowance()).toBe(7n)
    expect(await token.read('nonces', [alice])).toBe(1n)
    expect(await refusal(signature)).toMatch(bad)
    const next = { ...usual, nonce: 1n, value: 0n, deadline: maxUint256 }
    await carry(next, await sign(next))
    expect(await allowance()).toBe(0n)
  })

  test('outlives an approval of the owner, until its deadline', async () => {
    const signature = await sign()
    await token.send(alice, 'approve', [usual.spender, 0n])
    await carry(usual, signature)
    expect(await allowance()).toBe(7n)
    await chain.advanceTo(Number(soon) + 1)
    expect(await refusal(signature)).toBe(late.replace(`${past}`, `${soon}`))
  })

  test('is refused past its deadline', async () => {
    const message = { ...usual, deadline: past }
    expect(await refusal(await sign(message), message)).toBe(late)
  })

  test.each([
    ['by another key', () => sign(usual, bobKey)],
    ['for another spender', () => sign({ ...usual, spender: bob })],
    ['for another value', () => sign({ ...usual, value: 8n })],
    ['for another deadline', () => sign({ ...usual, deadline: soon + 1n })],
    ['for a later nonce', () => sign({ ...usual, nonce: 1n })],
    ['on another chain', () => sign(usual, aliceKey, { chainId: 1 })],
    ['for another token', () => sign(usual, aliceKey, { verifyingContract: bob })],
    ['for another version', () => sign(usual, aliceKey, { version: '3' })],
    ['and altered to its mirrored form', async () => mirrored(await sign())],
  ])('is refused where it was signed %s', async (_, signing) => {
    expect(await refusal(await signing())).toMatch(bad)
    expect(await refusal(await sign())).toBeUndefined()
  })

  test('by nobody is refused for the zero address', async () => {
    expect(await refusal(`0x${'00'.repeat(65)}`, { ...usual, owner: zeroAddress })).toMatch(bad)
  })

  test('of a wallet that is a contract is taken from its owner, by the token of USDC alone', async () => {
    const message = { ...usual, owner: wallet }
    expect(await refusal(await sign(message, bobKey), message)).toMatch(bad)
    const signature = await sign(message)
    if (!ofContracts) return expect(await refusal(signature, message)).toMatch(bad)
    await carry(message, signature)
    expect(await token.read('allowance', [wallet, usual.spender])).toBe(7n)
    expect(await refusal(signature, message)).toMatch(bad)
  })
})

describe('a permit as of DAI', () => {
  const types = {
    Permit: [
      { name: 'holder', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'nonce', type: 'uint256' },
      { name: 'expiry', type: 'uint256' },
      { name: 'allowed', type: 'bool' },
    ],
  } as const
  const token = contractAt(chain.client, dai.address, DaiLikeToken.abi)
  const allowance = () => token.read('allowance', [alice, chain.contract])
  const given = { holder: alice, spender: chain.contract, nonce: 0n, expiry: soon, allowed: true }
  const sign = (message = given, key = aliceKey) =>
    key.signTypedData({ domain: dai.domain, types, primaryType: 'Permit', message })
  const argsOf = ({ holder, spender, nonce, expiry, allowed }: typeof given, signature: Hex) =>
    [holder, spender, nonce, expiry, allowed, ...partsOf(signature)] as const
  const carry = (message: typeof given, signature: Hex) =>
    token.send(stranger, 'permit', argsOf(message, signature))
  const refusal = (signature: Hex, message = given) =>
    token.reverts(stranger, 'permit', argsOf(message, signature))

  test('gives an allowance without end, once, and takes it away', async () => {
    const signature = await sign()
    await carry(given, signature)
    expect(await allowance()).toBe(maxUint256)
    expect(await refusal(signature)).toBe(`InvalidAccountNonce(${alice},1)`)
    const taken = { ...given, nonce: 1n, expiry: 0n, allowed: false }
    await carry(taken, await sign(taken))
    expect(await allowance()).toBe(0n)
  })

  test.each([
    ['past its expiry', { ...given, expiry: past }, 'permit is past its expiry'],
    ['with a later nonce', { ...given, nonce: 1n }, `InvalidAccountNonce(${alice},0)`],
    ['of a wallet that is a contract', { ...given, holder: wallet }, 'invalid signature'],
  ])('is refused %s', async (_, message, reason) => {
    expect(await refusal(await sign(message), message)).toBe(reason)
  })

  test.each([
    ['by another key', () => sign(given, bobKey)],
    ['for another spender', () => sign({ ...given, spender: bob })],
    ['to take away', () => sign({ ...given, allowed: false })],
  ])('is refused where it was signed %s', async (_, signing) => {
    expect(await refusal(await signing())).toBe('invalid signature')
  })

  test('by nobody is refused for the zero address', async () => {
    const nobodys = { ...given, holder: zeroAddress }
    expect(await refusal(`0x${'00'.repeat(65)}`, nobodys)).toBe('holder is the zero address')
  })

  test('is taken in its mirrored form too, and one of the two alone', async () => {
    const signature = await sign()
    await carry(given, mirrored(signature))
    expect(await refusal(signature)).toBe(`InvalidAccountNonce(${alice},1)`)
  })
})
