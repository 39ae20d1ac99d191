import { PermitToken } from '@remit/contracts/PermitToken'
import { SmartAccount } from '@remit/contracts/SmartAccount'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
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
  hexToNumber,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  slice,
} from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, keeper, otherProvider, provider, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
/** Bob is the friend who pays. */
const payer = signerOf(4)
const token = contractAt(chain.client, usdc, UsdcLikeToken.abi)

const plain = await chain.deploy(
  encodeDeployData({ abi: TestToken.abi, bytecode: PermitToken.bytecode, args: ['Coin', 'COIN', 18] }),
)
await contractAt(chain.client, chain.contract, Subscriptions.abi).send(admin, 'addERC20Contract', [
  plain,
  10n ** 16n,
  18,
])
const wallet = await chain.deploy(encodeDeployData({ ...SmartAccount, args: [stranger, bob] }))
const weekly = await protocol.create()
// The first payment leaves her nothing.
await protocol.join(weekly, alice, { balance: 20_000_000n, allowance: 1_000_000_000n })
await token.send(alice, 'transfer', [stranger, await token.read('balanceOf', [alice])])
await chain.client.impersonateAccount({ address: wallet })
await chain.client.setBalance({ address: wallet, value: 10n ** 18n })
for (const account of [bob, wallet]) await protocol.fund(usdc, account, { balance: 1_000_000_000n })
for (const other of [plain, dai]) await protocol.fund(other, bob, { balance: 10n ** 20n })
await chain.client.setBalance({ address: bob, value: 0n })
await chain.keep()
const service = await useTestService([chain])

const Typed = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.literal('TransferWithAuthorization'),
  message: z.record(z.string(), z.unknown()),
  validBefore: z.int(),
  digest: z.custom<Hex>(),
})

async function topUp(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/top_up', {
    from: bob,
    account: alice,
    token: usdc,
    authorization: true,
    ...change,
  })
}

/** Signs what the service gave as a wallet does that knows nothing else. */
async function sign(answer: { readonly body: Record<string, unknown> }) {
  const { validBefore, digest, ...typed } = Typed.parse(answer.body.authorization)
  expect(hashTypedData(typed)).toBe(digest)
  const { from, to, value } = typed.message
  const signature = await payer.signTypedData(typed)
  return { payer: from, account: to, token: usdc, value: String(value), validBefore, signature }
}

async function carry(signed: Record<string, unknown>, change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/carry_top_up', { from: keeper, ...signed, ...change })
}

const balanceOf = (account: Address) =>
  chain.client.readContract({ address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [account] })

const sending = { chain, service, signer: signerOf(9) }
const isVoid = (flaw: string) => ({ status: 422, body: { code: 'AUTHORIZATION_VOID', flaw } })

it('signs for just what the outlook lacks, and a stranger carries it: every charge is paid', async () => {
  await service.caughtUp()
  const outlook = await service.get(`/accounts/${alice}/outlook`)
  const asked = await topUp()
  expect(asked.body).not.toHaveProperty('unsignedTransactions')
  expect(outlook.body).toMatchObject({
    wallet: { tokens: [{ toAdd: { balance: Object(asked.body.preflight).value } }] },
  })
  const signed = await sign(asked)
  const carried = await carry(signed)
  const { validBefore: _, ...preflight } = Object(
    lasting(carried.body, { [weekly.id]: '<weekly>' }).preflight,
  )
  expect(preflight).toMatchInlineSnapshot(`
    {
      "account": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      "alreadyUsed": false,
      "balance": {
        "after": {
          "amount": "130",
          "amountRaw": "130000000",
          "tokenDecimals": 6,
        },
        "before": {
          "amount": "0",
          "amountRaw": "0",
          "tokenDecimals": 6,
        },
      },
      "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      "subscriptions": [
        {
          "after": {
            "failsOn": {
              "date": "2026-06-03",
              "dayNumber": 20607,
            },
            "limitedBy": "balance",
            "periods": 13,
            "until": {
              "date": "2026-05-27",
              "dayNumber": 20600,
            },
          },
          "before": {
            "failsOn": {
              "date": "2026-03-04",
              "dayNumber": 20516,
            },
            "limitedBy": "balance",
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
      "value": {
        "amount": "130",
        "amountRaw": "130000000",
        "tokenDecimals": 6,
      },
    }
  `)
  await expectKept(sending, carried)
  expect(await balanceOf(alice)).toBe(BigInt(signed.value))
  await service.caughtUp()
  const after = await service.get(`/accounts/${alice}/outlook`)
  expect(after.body).toMatchObject({ counts: { fails: 0 } })
  const again = await topUp()
  expect(again).toMatchObject({ status: 200, body: { preflight: { missing: { amountRaw: '0' } } } })
  expect(await topUp({ authorization: false, readinessOnly: true })).toMatchObject({
    status: 200,
    body: { ready: true, issues: [], details: { missing: { amountRaw: '0' } } },
  })
  expect(again.body).not.toHaveProperty('authorization')
  expect(again.body).not.toHaveProperty('unsignedTransactions')
})

it('gives by a plain transfer where the payer has ether', async () => {
  await chain.client.setBalance({ address: bob, value: 10n ** 18n })
  const asked = await topUp({ authorization: false, value: '10000000' })
  expect(asked.body).toMatchObject({
    simulation: {
      balanceChanges: expect.arrayContaining([
        expect.objectContaining({ account: bob, amountRaw: '-10000000' }),
        expect.objectContaining({ account: alice, amountRaw: '10000000' }),
      ]),
    },
  })
  await expectKept({ ...sending, signer: payer }, asked)
  expect(await balanceOf(alice)).toBe(10_000_000n)
})

describe('who pays, and how much', () => {
  it('lacks nothing that it gives', async () => {
    expect(await topUp({ value: '1000000001' })).toMatchObject({
      status: 422,
      body: { issues: [{ code: 'INSUFFICIENT_BALANCE' }] },
    })
  })

  it('is somebody else, gives something, and for seven days at most', async () => {
    const { timestamp } = await chain.client.getBlock()
    for (const [path, change] of [
      ['account', { account: bob }],
      ['value', { value: '0' }],
      ['value', { value: `${2n ** 256n}` }],
      ['validBefore', { validBefore: Number(timestamp) - 10 }],
      ['validBefore', { validBefore: Number(timestamp) + 8 * 86_400 }],
      ['validBefore', { authorization: false, validBefore: Number(timestamp) + 60 }],
    ] as const) {
      expect(await topUp(change)).toMatchObject({ status: 400, body: { issues: [{ path }] } })
    }
  })
})

it('answers everybody the same, and what is signed twice pays once', async () => {
  const { timestamp } = await chain.client.getBlock()
  const wish = { value: '10000000', validBefore: Number(timestamp) + 3 * 86_400 }
  const [one, two] = [await topUp(wish), await topUp(wish)]
  expect(one.body.authorization).toEqual(two.body.authorization)
  await expectKept(sending, await carry(await sign(one)))
  const again = await carry(await sign(two))
  expect(again).toMatchObject({
    status: 200,
    body: { preflight: { alreadyUsed: true, balance: { after: { amountRaw: '10000000' } } } },
  })
  expect(again.body).not.toHaveProperty('unsignedTransactions')
  expect(await carry(await sign(two), { readinessOnly: true })).toMatchObject({
    status: 200,
    body: { ready: true, details: { alreadyUsed: true } },
  })
  // Only who has signed it is told so.
  expect(await carry(await sign(two), { signature: `0x${'11'.repeat(65)}` })).toMatchObject(
    isVoid('signature'),
  )
})

it('sends nothing for what the payer has cancelled', async () => {
  const signed = await sign(await topUp({ value: '10000000' }))
  const { domain, message } = Typed.parse(
    (await topUp({ value: '10000000', validBefore: signed.validBefore })).body.authorization,
  )
  const nonce = z.custom<Hex>().parse(message.nonce)
  const cancel = await payer.signTypedData({
    domain,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: bob, nonce },
  })
  const parts = [hexToNumber(slice(cancel, 64)), slice(cancel, 0, 32), slice(cancel, 32, 64)] as const
  await token.send(stranger, 'cancelAuthorization', [bob, nonce, ...parts])
  const carried = await carry(signed)
  expect(carried).toMatchObject({
    status: 200,
    body: { preflight: { alreadyUsed: true, balance: { after: { amountRaw: '0' } } } },
  })
  expect(carried.body).not.toHaveProperty('unsignedTransactions')
})

it('takes what a contract wallet signs where the token takes it, and compact signatures', async () => {
  const ofWallet = await sign(await topUp({ from: wallet, value: '10000000' }))
  expect(await carry(ofWallet)).toMatchObject({
    status: 200,
    body: {
      simulation: {
        balanceChanges: expect.arrayContaining([
          expect.objectContaining({ account: wallet, amountRaw: '-10000000' }),
        ]),
      },
    },
  })
  const own = await sign(await topUp({ value: '10000000' }))
  const signature = serializeCompactSignature(signatureToCompactSignature(parseSignature(own.signature)))
  expect(await carry(own, { signature })).toMatchObject({ status: 200 })
})

it.each([
  ['a token with permits alone', plain],
  ['a plain token', dai],
])('%s is refused by name', async (_, other) => {
  const unsupported = { status: 422, body: { code: 'AUTHORIZATION_UNSUPPORTED' } }
  expect(await topUp({ token: other, value: '1000' })).toMatchObject(unsupported)
  const signed = await sign(await topUp({ value: '1000' }))
  expect(await carry(signed, { token: other })).toMatchObject(unsupported)
})

describe('what is void is refused before anybody pays', () => {
  it.each([
    ['another value', { value: '1' }, 'signature'],
    ['another end', { validBefore: 2_000_000_000 }, 'signature'],
    ['another payer', { payer: otherProvider }, 'signature'],
    ['another account', { account: provider }, 'signature'],
    ['a signature of nobody', { signature: '0x' }, 'signature'],
  ])('%s', async (_, change, flaw) => {
    const signed = await sign(await topUp({ value: '10000000' }))
    expect(await carry(signed, change)).toMatchObject(isVoid(flaw))
  })

  it('past its end', async () => {
    const signed = await sign(await topUp({ value: '10000000' }))
    await chain.advanceTo(signed.validBefore)
    expect(await carry(signed)).toMatchObject(isVoid('expired'))
  })

  it('of a payer who has spent it since', async () => {
    const signed = await sign(await topUp({ value: '10000000' }))
    await chain.client.setBalance({ address: bob, value: 10n ** 18n })
    await token.send(bob, 'transfer', [stranger, 995_000_000n])
    expect(await carry(signed)).toMatchObject(isVoid('balance'))
  })
})

it('has no address that a signature could be written into', async () => {
  const query = new URLSearchParams({ from: keeper, signature: '0x' })
  expect(await service.get(`/prepare/carry_top_up?${query}`)).toMatchObject({ status: 405 })
})
