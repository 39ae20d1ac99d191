import { DaiLikeToken } from '@remit/contracts/DaiLikeToken'
import { PermitToken } from '@remit/contracts/PermitToken'
import { SmartAccount } from '@remit/contracts/SmartAccount'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { NO, SIGNATURE, YES } from '@remit/testing/portal/contractWallet'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import {
  type Address,
  encodeDeployData,
  erc20Abi,
  type Hex,
  hashTypedData,
  maxUint256,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, keeper, provider, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const owner = signerOf(3)

async function tokenOf({ bytecode }: { readonly bytecode: Hex }): Promise<Address> {
  const token = await chain.deploy(
    encodeDeployData({ abi: TestToken.abi, bytecode, args: ['Coin', 'COIN', 18] }),
  )
  const contract = contractAt(chain.client, chain.contract, Subscriptions.abi)
  await contract.send(admin, 'addERC20Contract', [token, 10n ** 16n, 18])
  return token
}

const plain = await tokenOf(PermitToken)
const daiLike = await tokenOf(DaiLikeToken)
const wallet = await chain.deploy(encodeDeployData({ ...SmartAccount, args: [stranger, alice] }))
const weekly = await protocol.create()
await protocol.join(weekly, alice, { balance: 10n ** 10n, allowance: 10_000_000n })
for (const token of [plain, daiLike]) {
  const other = await protocol.create({ token })
  await protocol.join(other, alice, { balance: 10n ** 24n, allowance: 10n ** 19n })
}
await chain.client.impersonateAccount({ address: wallet })
await chain.client.setBalance({ address: wallet, value: 10n ** 18n })
await protocol.join(await protocol.create(), wallet, { balance: 10n ** 10n, allowance: 10_000_000n })
await protocol.join(await protocol.create({ token: plain }), wallet, {
  balance: 10n ** 24n,
  allowance: 10n ** 19n,
})
await chain.keep()
const service = await useTestService([chain])

const Typed = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.literal('Permit'),
  message: z.record(z.string(), z.unknown()),
  deadline: z.int(),
  nonce: z.string(),
  digest: z.custom<Hex>(),
})

async function extend(token: Address, change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/extend_coverage', { from: alice, token, permit: true, ...change })
}

/** Signs what the service gave as a wallet does that knows nothing else. */
async function sign(answer: { readonly body: Record<string, unknown> }) {
  const { deadline, nonce, digest, ...typed } = Typed.parse(answer.body.permit)
  expect(hashTypedData(typed)).toBe(digest)
  const signature = await owner.signTypedData(typed)
  const { message } = typed
  const allowance = 'allowed' in message ? { allowed: message.allowed } : { value: String(message.value) }
  return { owner: alice, ...allowance, deadline, signature }
}

async function carry(token: Address, signed: Record<string, unknown>, change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/carry_permit', { from: keeper, token, ...signed, ...change })
}

const allowanceOf = (token: Address, account: Address = alice) =>
  chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [account, chain.contract],
  })

const sending = { chain, service, signer: signerOf(9) }

it('signs for the same allowance, and a stranger carries it: the next charges are paid', async () => {
  await protocol.fund(usdc, alice, { allowance: 1n })
  const asked = await extend(usdc, { approvalPeriods: 3, permitDeadline: 1_772_460_000 })
  const { body: approval } = await extend(usdc, { approvalPeriods: 3, permit: false })
  expect(asked).toMatchObject({ status: 200, body: { preflight: approval.preflight } })
  expect(asked.body).not.toHaveProperty('unsignedTransactions')
  const signed = await sign(asked)
  const carried = await carry(usdc, signed)
  expect(lasting(carried.body, { [weekly.id]: '<weekly>' }).preflight).toMatchInlineSnapshot(`
    {
      "allowance": {
        "after": {
          "amount": "30",
          "amountRaw": "30000000",
          "tokenDecimals": 6,
        },
        "before": {
          "amount": "0.000001",
          "amountRaw": "1",
          "tokenDecimals": 6,
        },
      },
      "alreadyCarried": false,
      "balance": {
        "amount": "9997.142858",
        "amountRaw": "9997142858",
        "tokenDecimals": 6,
      },
      "deadline": 1772460000,
      "owner": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      "subscriptions": [
        {
          "after": {
            "failsOn": {
              "date": "2026-03-25",
              "dayNumber": 20537,
            },
            "limitedBy": "allowance",
            "periods": 3,
            "until": {
              "date": "2026-03-18",
              "dayNumber": 20530,
            },
          },
          "before": {
            "failsOn": {
              "date": "2026-03-04",
              "dayNumber": 20516,
            },
            "limitedBy": "allowance",
            "periods": 0,
            "until": null,
          },
          "id": "<weekly>",
        },
      ],
      "token": {
        "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
        "decimals": 6,
        "name": "USD Coin (dev chain)",
        "symbol": "USDC",
      },
    }
  `)
  await expectKept(sending, carried)
  expect(await allowanceOf(usdc)).toBe(30_000_000n)
  await chain.advanceDays(8)
  await protocol.send(stranger, 'remit', [])
  expect(await protocol.subscribersOf(weekly)).toEqual([alice])
})

describe('the domain is what the token shows', () => {
  it.each([
    ['by EIP-5267', plain, {}, { name: 'Coin', version: '1' }],
    ['by name and version', usdc, {}, { name: 'USD Coin (dev chain)', version: '2' }],
    ['of DAI’s own form', daiLike, { infiniteApproval: true }, { name: 'Coin', version: '1' }],
  ])('%s', async (_, token, wish, domain) => {
    await protocol.fund(token, alice, { allowance: 1n })
    const asked = await extend(token, wish)
    const { nonce, domain: stated } = Typed.parse(asked.body.permit)
    expect({ nonce, stated }).toEqual({
      nonce: '0',
      stated: { ...domain, chainId: chain.chainId, verifyingContract: token },
    })
    await expectKept(sending, await carry(token, await sign(asked)), [token])
    expect(await allowanceOf(token)).toBeGreaterThan(1n)
  })

  it('a token without permits, or without this one, is refused by name', async () => {
    await protocol.join(await protocol.create({ token: dai }), alice, {
      balance: 10n ** 20n,
      allowance: 10n ** 19n,
    })
    const unsupported = { status: 422, body: { code: 'PERMIT_UNSUPPORTED' } }
    expect(await extend(dai)).toMatchObject(unsupported)
    const amount = await extend(daiLike, { approvalPeriods: 12 })
    expect(amount).toMatchObject({
      ...unsupported,
      body: { error: expect.stringContaining('infiniteApproval') },
    })
    expect(await extend(plain, { from: wallet, approvalPeriods: 12 })).toMatchObject({
      ...unsupported,
      body: { error: expect.stringContaining('a contract') },
    })
  })
})

it('carries what a contract wallet signs where the token takes it, and compact signatures', async () => {
  const {
    deadline,
    nonce: _,
    digest: __,
    ...typed
  } = Typed.parse((await extend(usdc, { from: wallet })).body.permit)
  const signature = await owner.signTypedData(typed)
  const value = String(typed.message.value)
  await expectKept(sending, await carry(usdc, { owner: wallet, value, deadline, signature }))
  expect(await allowanceOf(usdc, wallet)).toBe(BigInt(value))
  const own = await sign(await extend(usdc))
  const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(own.signature)))
  expect(await carry(usdc, { ...own, signature: compact })).toMatchObject({ status: 200 })
})

describe('a permit that is void is refused before anybody pays', () => {
  it.each([
    ['another value', { value: '1' }, 'signature'],
    ['another deadline', { deadline: 2_000_000_000 }, 'signature'],
    ['another owner', { owner: provider }, 'signature'],
    ['a signature of nobody', { signature: '0x' }, 'signature'],
    ['a deadline that is over', { deadline: 1 }, 'expired'],
  ])('%s', async (_, change, flaw) => {
    const signed = await sign(await extend(usdc))
    expect(await carry(usdc, { ...signed, ...change })).toMatchObject({
      status: 422,
      body: { code: 'PERMIT_VOID', flaw },
    })
  })

  /** Counts down from 120,000, for 26 gas each. */
  const SLOW: Hex = `0x6201d4c05b6001900380600457${YES.slice(2)}`

  it('and is refused by its field where it is no amount', async () => {
    const signed = await sign(await extend(usdc))
    expect(await carry(usdc, { ...signed, value: `${2n ** 256n}` })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'value', message: 'must be at most 2^256 - 1' }] },
    })
  })

  it.each<[what: string, code: Hex, change: object]>([
    ['whose check takes more gas than a trial has', SLOW, { signature: SIGNATURE }],
    ['whose code confirms nothing, though its key has signed', NO, {}],
  ])('and never said to be wrongly signed where it is not: of a wallet %s', async (_, bytecode, change) => {
    const signed = { ...(await sign(await extend(usdc))), ...change }
    await chain.client.setCode({ address: alice, bytecode })
    // Answers are kept for their block, which the next test begins at.
    await chain.advanceTo((await chain.now()) + 60)
    expect(await carry(usdc, signed)).toMatchObject({
      status: 422,
      body: {
        code: 'PERMIT_UNSUPPORTED',
        error: expect.stringContaining('the signature is the owner’s, and the token refuses it all the same'),
      },
    })
  })

  it('a nonce that the owner has used since, by a permit of nothing', async () => {
    const offer = await sign(await extend(usdc))
    const revoked = await service.post('/prepare/revoke_allowance', {
      from: alice,
      token: usdc,
      permit: true,
    })
    await expectKept(sending, await carry(usdc, await sign(revoked)))
    expect(await allowanceOf(usdc)).toBe(0n)
    expect(await carry(usdc, offer)).toMatchObject({
      status: 422,
      body: { code: 'PERMIT_VOID', flaw: 'used' },
    })
    // Nothing is left to revoke, and yet another permit may be out.
    await service.caughtUp()
    const again = await service.post('/prepare/revoke_allowance', { from: alice, token: usdc, permit: true })
    expect(again).toMatchObject({ status: 200, body: { permit: { nonce: '1' } } })
  })
})

it('of what subscribing needs voids an older one, and then subscribing needs no approval', async () => {
  const other = await protocol.create({ dueDay: 5 })
  const older = await sign(await extend(usdc))
  await service.caughtUp()
  const wish = { from: alice, id: other.id, approvalPeriods: 3 }
  const subscribing = await service.post('/prepare/subscribe_by_id', { ...wish, permit: true })
  const { body: approval } = await service.post('/prepare/subscribe_by_id', wish)
  expect(subscribing).toMatchObject({ status: 200, body: { preflight: approval.preflight } })
  expect(subscribing.body).not.toHaveProperty('unsignedTransactions')
  await expectKept(sending, await carry(usdc, await sign(subscribing)))
  expect(await carry(usdc, older)).toMatchObject({ status: 422, body: { code: 'PERMIT_VOID', flaw: 'used' } })
  const subscribe = await service.post('/prepare/subscribe_by_id', wish)
  expect(subscribe.body).toMatchObject({ preflight: { needsApproval: false } })
  await expectKept({ ...sending, signer: owner }, subscribe)
  expect(await protocol.subscribersOf(other)).toEqual([alice])
})

it('outlives a later approval and a revocation until its deadline, and says so where it lowers the allowance', async () => {
  const offer = await sign(await extend(usdc))
  await protocol.fund(usdc, alice, { allowance: 0n })
  expect(await carry(usdc, offer)).toMatchObject({ status: 200, body: { warnings: [] } })
  await protocol.fund(usdc, alice, { allowance: maxUint256 })
  const lowering = await carry(usdc, offer)
  expect(lowering.body.warnings).toMatchObject([{ code: 'PERMIT_LOWERS_ALLOWANCE' }])
  await expectKept(sending, lowering)
  expect(await allowanceOf(usdc)).toBe(BigInt(offer.value ?? 0))
})

it('that somebody else has carried is a success while the allowance stands', async () => {
  const signed = await sign(await extend(usdc))
  await expectKept(sending, await carry(usdc, signed))
  const again = await carry(usdc, signed)
  expect(again).toMatchObject({ status: 200, body: { preflight: { alreadyCarried: true } } })
  expect(again.body).not.toHaveProperty('unsignedTransactions')
  expect(await carry(usdc, signed, { readinessOnly: true })).toMatchObject({
    status: 200,
    body: { ready: true, details: { alreadyCarried: true } },
  })
  await protocol.fund(usdc, alice, { allowance: 5n })
  expect(await carry(usdc, signed)).toMatchObject({ status: 422, body: { flaw: 'used' } })
  // Nor does it become one that was never carried once its deadline has passed.
  await chain.advanceTo(signed.deadline + 60)
  expect(await carry(usdc, signed)).toMatchObject({ status: 422, body: { flaw: 'used' } })
})

it('lasts an hour unless it is asked for longer, and never more than seven days', async () => {
  const { timestamp } = await chain.client.getBlock()
  const deadlineOf = async (permitDeadline?: number) =>
    extend(usdc, permitDeadline === undefined ? {} : { permitDeadline })
  const { deadline } = Typed.parse((await deadlineOf()).body.permit)
  expect(deadline - Number(timestamp)).toBeGreaterThanOrEqual(3_600)
  const ahead = Number(timestamp) + 3 * 86_400
  expect((await deadlineOf(ahead)).body).toMatchObject({ permit: { deadline: ahead } })
  for (const bad of [Number(timestamp) - 10, Number(timestamp) + 8 * 86_400]) {
    expect(await deadlineOf(bad)).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'permitDeadline' }] },
    })
  }
})

it('names the field that the token’s form lacks', async () => {
  const signed = { owner: alice, deadline: 2_000_000_000, signature: '0x' }
  expect(await carry(usdc, signed)).toMatchObject({ status: 400, body: { issues: [{ path: 'value' }] } })
  expect(await carry(usdc, { ...signed, allowed: true })).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'allowed' }] },
  })
  expect(await carry(daiLike, { ...signed, value: '1' })).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'value' }] },
  })
  expect(await carry(daiLike, signed)).toMatchObject({ status: 400, body: { issues: [{ path: 'allowed' }] } })
})

it('has no address that a signature could be written into', async () => {
  const query = new URLSearchParams({
    from: keeper,
    owner: zeroAddress,
    token: usdc,
    value: '1',
    deadline: '1',
    signature: '0x',
  })
  expect(await service.get(`/prepare/carry_permit?${query}`)).toMatchObject({ status: 405 })
})
