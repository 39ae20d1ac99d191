import {
  OverBudgetError,
  UnsafeTransactionError,
  UserRejectedError,
} from '@remit/client/testing/sending/errors'
import type { SignedPermit } from '@remit/client/testing/sending/signed/SignedPermit'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { erc20Abi } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { signedPermit } from '../support/wallets/signedPermit.ts'
import { signerOf } from '../support/wallets/signerOf.ts'
import { localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const { chain, protocol, service, api, flows, flowsOver, weekly, injected } = await useSendingGround()
const { alice, keeper, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
await protocol.join(weekly, alice, { allowance: 10_000_000n })
await protocol.fund(usdc, alice, { allowance: 1n })
await protocol.join(await protocol.create({ token: dai }), alice, {
  balance: 10n ** 20n,
  allowance: 10n ** 19n,
})
await chain.client.setBalance({ address: alice, value: 0n })
await chain.keep()

beforeEach(() => service.caughtUp())

const allowance = () =>
  chain.client.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [alice, chain.contract],
  })
const wish = { token: usdc, approvalPeriods: 3 }
const carrier = () => localWallet(chain, SIGNERS.keeper)
const sign = () => flows.extendCoverage(wish).sign(injected(alice).wallet)

it('a wallet without ether signs, without a word of the service’s, and another wallet carries it', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  const { wallet, signatures } = injected(alice)
  const signed = await flows.extendCoverage(wish).sign(wallet)
  expect(fetched.mock.calls.filter(([url]) => String(url).startsWith(service.url))).toEqual([])
  fetched.mockRestore()
  expect(signed).toMatchObject({ chainId: chain.chainId, token: usdc, owner: alice, value: '30000000' })
  expect(signatures().map(({ method }) => method)).toEqual(['eth_signTypedData_v4'])
  const outcome = await flows.carryPermit(JSON.parse(JSON.stringify(signed))).send(carrier(), QUICK)
  expect(outcome).toMatchObject({ status: 'success', owner: alice, allowanceRaw: 30_000_000n })
  expect(await allowance()).toBe(30_000_000n)
})

it('what somebody else has carried is a success that sends nothing', async () => {
  const signed = await sign()
  await flows.carryPermit(signed).send(localWallet(chain, SIGNERS.bob), QUICK)
  const outcome = await flows.carryPermit(signed).send(carrier(), QUICK)
  expect(outcome).toMatchObject({ status: 'success', transactions: [], allowanceRaw: 30_000_000n })
})

it('revoking is signed for in the same way, and voids what was signed before', async () => {
  const offer = await sign()
  const revoked = await flows.revokeAllowance({ token: usdc }).sign(injected(alice).wallet)
  await flows.carryPermit(revoked).send(carrier(), QUICK)
  expect(await allowance()).toBe(0n)
  await expect(flows.carryPermit(offer).send(carrier(), QUICK)).rejects.toMatchObject({ code: 'PERMIT_VOID' })
})

it('subscribing is signed for in the same way, and then sends the subscribing alone', async () => {
  const offer = await sign()
  const { id } = await protocol.create({ dueDay: 5 })
  const subscribing = { id, approvalPeriods: 3 }
  const signed = await flows.subscribe(subscribing).sign(injected(alice).wallet)
  await flows.carryPermit(signed).send(carrier(), QUICK)
  await expect(flows.carryPermit(offer).send(carrier(), QUICK)).rejects.toMatchObject({ code: 'PERMIT_VOID' })
  await chain.client.setBalance({ address: alice, value: 10n ** 18n })
  const { transactions } = await flows.subscribe(subscribing).send(injected(alice).wallet, QUICK)
  expect(transactions.map(({ functions }) => functions)).toEqual([['subscribe']])
})

it('what changes the allowance afterwards warns of what was signed, until its nonce is used', async () => {
  // One that has signed nothing yet.
  const own = flowsOver(api)
  const signed = await own.extendCoverage(wish).sign(injected(alice).wallet)
  await chain.client.setBalance({ address: alice, value: 10n ** 18n })
  const told: (readonly { readonly code: string }[])[] = []
  const extend = (approvalPeriods: number) =>
    own.extendCoverage({ token: usdc, approvalPeriods }).send(injected(alice).wallet, {
      ...QUICK,
      onProgress: (progress) => {
        if (progress.kind === 'prepared') told.push(progress.warnings)
      },
    })
  await extend(5)
  await flows.carryPermit(signed).send(carrier(), QUICK)
  await extend(6)
  expect(told.map((warnings) => warnings.map(({ code }) => code))).toEqual([['PERMIT_OUTSTANDING'], []])
})

it('a client made anew warns of what it is told was signed before, also where the allowance is enough', async () => {
  const { id } = await protocol.create({ dueDay: 4 })
  await chain.client.setBalance({ address: alice, value: 10n ** 18n })
  await protocol.fund(usdc, alice, { allowance: 10n ** 12n })
  const signed = await flows.revokeAllowance({ token: usdc }).sign(injected(alice).wallet)
  const { deadline } = signed
  const nonce = await chain.client.readContract({
    address: usdc,
    abi: UsdcLikeToken.abi,
    functionName: 'nonces',
    args: [alice],
  })
  const asked: unknown[] = []
  const own = flowsOver(api, {
    outstandingPermits: async (about) => {
      asked.push(about)
      return [{ value: 0n, deadline, nonce }]
    },
  })
  const told: unknown[] = []
  await own.subscribe({ id }).send(injected(alice).wallet, {
    ...QUICK,
    onProgress: (progress) => {
      if (progress.kind === 'prepared') told.push(...progress.warnings)
    },
  })
  expect(asked).toContainEqual({ chainId: chain.chainId, owner: alice, token: usdc })
  expect(told).toContainEqual(
    expect.objectContaining({
      code: 'PERMIT_OUTSTANDING',
      deadline,
      value: expect.objectContaining({ amount: '0' }),
    }),
  )
})

describe('nothing is signed', () => {
  it('above what the caller allows, and outside the budget', async () => {
    const { wallet, signatures } = injected(alice)
    const much = flows.extendCoverage(wish).sign(wallet, { maxApproval: 29_999_999n })
    await expect(much).rejects.toThrow('29999999 is the most allowed')
    const dear = flowsOver(api, { budget: [{ token: dai, perMonthRaw: 1n }] })
    await expect(dear.extendCoverage(wish).sign(wallet)).rejects.toBeInstanceOf(OverBudgetError)
    expect(signatures()).toEqual([])
  })

  it('for a token without permits, or beyond seven days', async () => {
    const { wallet, signatures } = injected(alice)
    const unsupported = flows.extendCoverage({ token: dai }).sign(wallet)
    await expect(unsupported).rejects.toMatchObject({ code: 'PERMIT_UNSUPPORTED' })
    const { timestamp } = await chain.client.getBlock()
    const long = flows.extendCoverage(wish).sign(wallet, { deadline: Number(timestamp) + 8 * 86_400 })
    await expect(long).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(signatures()).toEqual([])
  })
})

it('a wallet that signs something else is found out, and one that refuses is told apart', async () => {
  const answering = (answer: () => Promise<unknown>) =>
    injected(alice, {
      around: (request, go) => (request.method === 'eth_signTypedData_v4' ? answer() : go()),
    }).wallet
  const elsewhere = await flows.revokeAllowance({ token: usdc }).sign(injected(alice).wallet)
  const another = flows.extendCoverage(wish).sign(answering(async () => elsewhere.signature))
  await expect(another).rejects.toBeInstanceOf(UnsafeTransactionError)
  const refused = flows
    .extendCoverage(wish)
    .sign(answering(() => Promise.reject(Object.assign(new Error('no'), { code: 4001 }))))
  await expect(refused).rejects.toBeInstanceOf(UserRejectedError)
})

describe('several permits, of any owners,', () => {
  const both = async () => {
    const bobs = await signedPermit(chain, { token: usdc, signer: signerOf(SIGNERS.bob), value: 7_000_000n })
    return [await sign(), { chainId: chain.chainId, ...bobs }] as const
  }
  const allowances = [30_000_000n, 7_000_000n].map((allowanceRaw) => ({ allowanceRaw }))

  it.each([
    ['together by a wallet that has wallet_sendCalls', true, ['wallet_sendCalls']],
    ['one by one by another', false, ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction']],
  ])('are carried %s', async (_how, sendsCalls, asked) => {
    const { wallet, signatures } = injected(keeper, { sendsCalls })
    const flow = flows.carryPermits({ permits: await both() })
    expect(await flow.readiness(keeper)).toMatchObject({ ready: true, permits: [{}, {}], left: [] })
    expect(await flow.send(wallet, QUICK)).toMatchObject({ permits: allowances, left: [] })
    expect(signatures().map(({ method }) => method)).toEqual(asked)
  })

  it('are carried without those that have become void since they were shown', async () => {
    const permits = await both()
    const [alices] = permits
    const flow = flows.carryPermits({ permits })
    const prepared = await flow.prepare(keeper)
    expect(prepared).toMatchObject({ carried: [{ owner: alice }, {}], left: [] })
    const revoked = await flows.revokeAllowance({ token: usdc }).sign(injected(alice).wallet)
    await flows.carryPermit(revoked).send(carrier(), QUICK)
    const outcome = await flow.send(injected(keeper).wallet, { ...QUICK, prepared })
    expect(outcome).toMatchObject({ permits: allowances.slice(1), left: [alices] })
    expect(await allowance()).toBe(0n)
  })

  it('are carried where somebody else is first with one of them', async () => {
    const permits = await both()
    let isFirst = true
    const { wallet, signatures } = injected(keeper, {
      async around({ method }, go) {
        if (method === 'wallet_sendCalls' && isFirst) {
          isFirst = false
          await flows.carryPermit(permits[0]).send(carrier(), QUICK)
        }
        return go()
      },
    })
    const outcome = await flows.carryPermits({ permits }).send(wallet, QUICK)
    expect(outcome).toMatchObject({ permits: allowances, left: [] })
    expect(signatures().map(({ method }) => method)).toEqual(['wallet_sendCalls', 'eth_sendTransaction'])
  })

  it('ask for nothing where all of them are void, or they are of several chains', async () => {
    const [alices, bobs] = await both()
    const { wallet, signatures } = injected(keeper)
    const isVoid = flows.carryPermits({ permits: [{ ...alices, value: '1' }] }).send(wallet, QUICK)
    await expect(isVoid).rejects.toMatchObject({ code: 'PERMIT_VOID' })
    for (const permits of [[], [alices, { ...bobs, chainId: 1 }]]) {
      await expect(flows.carryPermits({ permits }).send(wallet, QUICK)).rejects.toBeInstanceOf(TypeError)
    }
    expect(signatures()).toEqual([])
  })
})

describe('a carrier sends nothing that the owner has not signed', () => {
  const lies: readonly (readonly [string, (signed: SignedPermit) => object])[] = [
    ...['0', '1', '29999999', '30000001', `${2n ** 256n - 1n}`].map(
      (value) => [`value ${value}`, () => ({ value })] as const,
    ),
    ...[-86_400, -1, 1, 60, 86_400, 6 * 86_400, 30 * 86_400].map(
      (later) =>
        [
          `a deadline ${later} s later`,
          ({ deadline }: SignedPermit) => ({ deadline: deadline + later }),
        ] as const,
    ),
    ...[keeper, stranger, chain.contract, usdc].map(
      (owner) => [`owner ${owner}`, () => ({ owner })] as const,
    ),
    ...[dai, chain.contract, alice].map((token) => [`token ${token}`, () => ({ token })] as const),
    ...[1, 8453].map((chainId) => [`chain ${chainId}`, () => ({ chainId })] as const),
    ['allowed beside the value', () => ({ allowed: true })],
    ['allowed in place of the value', () => ({ allowed: true, value: undefined })],
    ...[0, 1, 7, 15, 30, 31, 32, 33, 40, 50, 60, 63, 64].map(
      (at) =>
        [
          `a signature with byte ${at} changed`,
          ({ signature }: SignedPermit) => {
            const digit = (Number.parseInt(signature.charAt(2 + 2 * at), 16) + 1) % 16
            return {
              signature: `${signature.slice(0, 2 + 2 * at)}${digit.toString(16)}${signature.slice(3 + 2 * at)}`,
            }
          },
        ] as const,
    ),
    ...['0x', '0x00', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`].map(
      (signature) => [`signature ${signature.slice(0, 8)}`, () => ({ signature })] as const,
    ),
  ]

  it(`in ${lies.length} lies`, async () => {
    const signed = await sign()
    for (const [, change] of lies) {
      const { wallet, signatures } = injected(keeper)
      const handed = { ...signed, ...change(signed) }
      await expect(flows.carryPermit(handed).send(wallet, QUICK)).rejects.toBeInstanceOf(Error)
      expect(signatures()).toEqual([])
    }
    expect(await allowance()).toBe(1n)
  })
})
