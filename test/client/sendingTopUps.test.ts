import { UnsafeTransactionError, UserRejectedError } from '@remit/client/testing/sending/errors'
import type { SignedTopUp } from '@remit/client/testing/sending/signed/SignedTopUp'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { type Address, erc20Abi } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const { chain, protocol, service, flows, weekly, injected } = await useSendingGround()
const { alice, bob, carol, keeper, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const token = contractAt(chain.client, usdc, erc20Abi)
// Alice can pay nothing more; bob would give her what she lacks, and has no ether.
await protocol.join(weekly, alice, { allowance: 1_000_000_000n })
await token.send(alice, 'transfer', [stranger, await token.read('balanceOf', [alice])])
await protocol.fund(usdc, bob, { balance: 100_000_000n })
await protocol.fund(dai, bob, { balance: 10n ** 20n })
await chain.client.setBalance({ address: bob, value: 0n })
await chain.keep()

beforeEach(() => service.caughtUp())

const balanceOf = (account: Address) => token.read('balanceOf', [account])
const gift = { account: alice, token: usdc, value: '30000000' }
const carrier = () => localWallet(chain, SIGNERS.keeper)
const sign = () => flows.topUp(gift).sign(injected(bob).wallet)

it('a payer without ether signs, without a word of the service’s, and another wallet carries it', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  const { wallet, signatures } = injected(bob)
  const signed = await flows.topUp(gift).sign(wallet)
  expect(fetched.mock.calls.filter(([url]) => String(url).startsWith(service.url))).toEqual([])
  fetched.mockRestore()
  expect(signed).toMatchObject({ chainId: chain.chainId, payer: bob, ...gift })
  expect(signatures().map(({ method }) => method)).toEqual(['eth_signTypedData_v4'])
  const outcome = await flows.carryTopUp(JSON.parse(JSON.stringify(signed))).send(carrier(), QUICK)
  expect(outcome).toMatchObject({ status: 'success', account: alice, balanceRaw: 30_000_000n })
  expect([await balanceOf(alice), await balanceOf(bob)]).toEqual([30_000_000n, 70_000_000n])
})

it('a payer with ether sends it at once', async () => {
  await chain.client.setBalance({ address: bob, value: 10n ** 18n })
  const outcome = await flows.topUp(gift).send(injected(bob).wallet, QUICK)
  expect(outcome).toMatchObject({ status: 'success', account: alice, balanceRaw: 30_000_000n })
})

it('what somebody else has carried is a success that sends nothing, and moves nothing twice', async () => {
  const signed = await sign()
  await flows.carryTopUp(signed).send(carrier(), QUICK)
  const outcome = await flows.carryTopUp(signed).send(carrier(), QUICK)
  expect(outcome).toMatchObject({ status: 'success', transactions: [], balanceRaw: 30_000_000n })
  expect(await balanceOf(bob)).toBe(70_000_000n)
})

describe('nothing is signed', () => {
  it('for a token without signed transfers, beyond seven days, or above what the payer holds', async () => {
    const { wallet, signatures } = injected(bob)
    const unsupported = flows.topUp({ ...gift, token: dai }).sign(wallet)
    await expect(unsupported).rejects.toMatchObject({ code: 'AUTHORIZATION_UNSUPPORTED' })
    const { timestamp } = await chain.client.getBlock()
    const long = flows.topUp(gift).sign(wallet, { validBefore: Number(timestamp) + 8 * 86_400 })
    await expect(long).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    const much = flows.topUp({ ...gift, value: '100000001' }).sign(wallet)
    await expect(much).rejects.toMatchObject({ code: 'NOT_READY' })
    expect(signatures()).toEqual([])
  })

  it('but what the caller asked for, whatever a service has prepared and shown', async () => {
    await chain.client.setBalance({ address: bob, value: 10n ** 18n })
    await service.caughtUp()
    const lies: readonly object[] = [
      { account: stranger },
      { account: keeper },
      { account: usdc },
      { account: chain.contract },
      { value: '30000001' },
      { value: '29999999' },
      { value: '100000000' },
      { value: '1' },
      { token: dai },
      { token: dai, account: stranger },
    ]
    for (const lie of lies) {
      const { wallet, signatures } = injected(bob)
      const prepared = await flows.topUp({ ...gift, ...lie }).prepare(bob)
      const sending = flows.topUp(gift).send(wallet, { ...QUICK, prepared })
      await expect(sending).rejects.toBeInstanceOf(UnsafeTransactionError)
      expect(signatures()).toEqual([])
    }
    expect(await balanceOf(bob)).toBe(100_000_000n)
  })
})

it('a wallet that signs something else is found out, and one that refuses is told apart', async () => {
  const answering = (answer: () => Promise<unknown>) =>
    injected(bob, {
      around: (request, go) => (request.method === 'eth_signTypedData_v4' ? answer() : go()),
    }).wallet
  const elsewhere = await flows.topUp({ ...gift, value: '1' }).sign(injected(bob).wallet)
  const another = flows.topUp(gift).sign(answering(async () => elsewhere.signature))
  await expect(another).rejects.toBeInstanceOf(UnsafeTransactionError)
  const refused = flows
    .topUp(gift)
    .sign(answering(() => Promise.reject(Object.assign(new Error('no'), { code: 4001 }))))
  await expect(refused).rejects.toBeInstanceOf(UserRejectedError)
})

describe('a carrier sends nothing that the payer has not signed', () => {
  const lies: readonly (readonly [string, (signed: SignedTopUp) => object])[] = [
    ...['0', '1', '29999999', '30000001', `${2n ** 256n - 1n}`].map(
      (value) => [`value ${value}`, () => ({ value })] as const,
    ),
    ...[-86_400, -1, 1, 60, 86_400].map(
      (later) =>
        [
          `an end ${later} s later`,
          ({ validBefore }: SignedTopUp) => ({ validBefore: validBefore + later }),
        ] as const,
    ),
    ...[carol, stranger, chain.contract].map((payer) => [`payer ${payer}`, () => ({ payer })] as const),
    ...[carol, keeper, stranger, bob].map((account) => [`account ${account}`, () => ({ account })] as const),
    ...[dai, chain.contract].map((other) => [`token ${other}`, () => ({ token: other })] as const),
    ...[1, 8453].map((chainId) => [`chain ${chainId}`, () => ({ chainId })] as const),
    ...['0x', '0x00', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`].map(
      (signature) => [`signature ${signature.slice(0, 8)}`, () => ({ signature })] as const,
    ),
  ]

  it(`in ${lies.length} lies`, async () => {
    const signed = await sign()
    for (const [, change] of lies) {
      const { wallet, signatures } = injected(keeper)
      const handed = { ...signed, ...change(signed) }
      await expect(flows.carryTopUp(handed).send(wallet, QUICK)).rejects.toBeInstanceOf(Error)
      expect(signatures()).toEqual([])
    }
    expect(await balanceOf(bob)).toBe(100_000_000n)
  })
})
