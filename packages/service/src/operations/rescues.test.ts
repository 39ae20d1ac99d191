import { DaiLikeToken } from '@remit/contracts/DaiLikeToken'
import { SmartAccount } from '@remit/contracts/SmartAccount'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { SIGNATURE, YES } from '@remit/testing/portal/contractWallet'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { ADMIN_SECRET, lasting, useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { signedPermit } from '@remit/testing/support/wallets/signedPermit'
import { Receiver } from '@remit/testing/support/webhooks/Receiver'
import { TEST_SECRETS_KEY } from '@remit/testing/support/webhooks/startDelivering'
import { type Address, encodeDeployData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, keeper, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const owner = signerOf(3)
const weekly = await protocol.create()
await protocol.join(weekly, alice, { balance: 10n ** 10n, allowance: 10_000_000n })
// Wallets that are contracts, of which one signs as keys do and one at another length; and a plan in a token with DAI's own permits.
const account = await chain.deploy(encodeDeployData({ ...SmartAccount, args: [stranger, alice] }))
const safe = getAddress(`0x${'c7'.repeat(20)}`)
for (const address of [account, safe]) {
  await chain.client.impersonateAccount({ address })
  await chain.client.setBalance({ address, value: 10n ** 18n })
  await protocol.join(weekly, address, { balance: 10n ** 10n, allowance: 10_000_000n })
}
await chain.client.setCode({ address: safe, bytecode: YES })
const daiLike = await chain.deploy(encodeDeployData({ ...DaiLikeToken, args: ['Coin', 'COIN', 18] }))
const contract = contractAt(chain.client, chain.contract, Subscriptions.abi)
await contract.send(admin, 'addERC20Contract', [daiLike, 10n ** 16n, 18])
const inDai = await protocol.create({ token: daiLike })
await protocol.join(inDai, alice, { balance: 10n ** 24n, allowance: 10n ** 19n })
await chain.keep()

const receiver = await new Receiver().start()
afterAll(() => receiver.close())
const switchedOn = {
  SECRETS_KEY: TEST_SECRETS_KEY,
  WEBHOOKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  TRUSTED_PROXIES: '127.0.0.1',
}
const service = await useTestService([chain], switchedOn)
const off = await useTestService([chain], { RESCUES: 'off' })

async function keyOf(subjectId: string) {
  const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const { body } = await service.post('/developer/keys', { subjectId }, admin)
  return { headers: { Authorization: `Bearer ${z.object({ token: z.string() }).parse(body).token}` } }
}

const providers = await keyOf(provider.toLowerCase())
const alices = await keyOf(alice.toLowerCase())
const strangers = await keyOf(stranger.toLowerCase())

const sign = (value: bigint) => signedPermit(chain, { token: usdc, signer: owner, value })

/** Of each test another one: what the tests before have left stays in the store. */
let senders = 0
async function offer(permit: object, change: object = {}, on = service) {
  await on.caughtUp()
  senders += 1
  const headers = { 'X-Forwarded-For': `203.0.113.${senders}` }
  return on.post('/rescues', { ...permit, provider, ...change }, { headers })
}

const Rescue = z.looseObject({ id: z.string() })
const Offered = z.object({ rescue: Rescue })
const Listed = z.object({ rescues: z.array(Rescue), nextCursor: z.string().nullable() })

async function list(by: object = {}, query = '') {
  const { status, body } = await service.get(`/rescues?provider=${provider}${query}`, by)
  expect(status).toBe(200)
  return Listed.parse(body)
}

const withdraw = (id: string, by: object = alices) =>
  service.get(`/rescues/${id}`, { method: 'DELETE', ...by })

async function clear(): Promise<void> {
  for (const { id } of (await list(alices)).rescues) expect((await withdraw(id)).status).toBe(200)
}

describe('POST /rescues', () => {
  it('keeps a permit that its token takes, for its provider and its owner', async () => {
    await indexed(service, chain)
    const permit = await sign(50_000_000n)
    const { status, body } = await offer(permit)
    const { rescue } = Offered.parse(body)
    expect({
      status,
      body: lasting(
        { ...body, rescue: { ...rescue, createdAt: '<now>', deadline: '<in six days>' } },
        { [rescue.id]: '<id>', [weekly.id]: '<weekly>' },
      ),
    }).toMatchInlineSnapshot(`
      {
        "body": {
          "chainId": 31337,
          "rescue": {
            "allowed": null,
            "createdAt": "<now>",
            "deadline": "<in six days>",
            "id": "<id>",
            "nonce": "0",
            "owner": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
            "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "public": false,
            "subscriptions": [
              "<weekly>",
            ],
            "token": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "value": "50000000",
          },
        },
        "status": 201,
      }
    `)
    const { signature } = permit
    expect(JSON.stringify(body)).not.toContain(signature)
    expect((await list(providers)).rescues).toEqual([{ ...rescue, signature }])
    expect((await list(alices)).rescues).toEqual([{ ...rescue, signature }])
    expect((await list(strangers)).rescues).toEqual([])
    expect((await list()).rescues).toEqual([])
    expect((await service.get('/rescues', providers)).body).toMatchObject({ rescues: [] })
    await clear()
  })

  it('that is public is seen by everybody, and only its owner takes it back', async () => {
    const { rescue } = Offered.parse((await offer(await sign(50_000_000n), { public: true })).body)
    expect((await list()).rescues).toMatchObject([{ id: rescue.id, public: true }])
    const ofAll = Listed.parse((await service.get('/rescues')).body)
    expect(ofAll.rescues).toMatchObject([{ id: rescue.id, provider, subscriptions: [weekly.id] }])
    expect(await withdraw(rescue.id, {})).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    const notFound = { status: 404, body: { code: 'NOT_FOUND' } }
    expect(await withdraw(rescue.id, providers)).toMatchObject(notFound)
    expect(await withdraw(rescue.id)).toMatchObject({ status: 200, body: { id: rescue.id, deleted: true } })
    expect(await withdraw(rescue.id)).toMatchObject(notFound)
    expect((await list(alices)).rescues).toEqual([])
  })

  it('is one of a nonce: the same again changes nothing, and another takes its place', async () => {
    const permit = await sign(50_000_000n)
    const { rescue } = Offered.parse((await offer(permit)).body)
    expect(Offered.parse((await offer(permit)).body).rescue).toEqual(rescue)
    await offer(permit, { public: true })
    await offer(await sign(60_000_000n))
    expect((await list(alices)).rescues).toMatchObject([{ value: '60000000', public: false }])
    await clear()
  })

  it('refuses what would save nothing, by name', async () => {
    const notReady = (code: string) => ({ status: 422, body: { code: 'NOT_READY', issues: [{ code }] } })
    const allowance = await chain.client.readContract({
      address: usdc,
      abi: UsdcLikeToken.abi,
      functionName: 'allowance',
      args: [alice, chain.contract],
    })
    expect(await offer(await sign(allowance))).toMatchObject(notReady('NOTHING_TO_EXTEND'))
    expect(await offer(await sign(0n))).toMatchObject(notReady('NOTHING_TO_EXTEND'))
    expect(await offer(await sign(50_000_000n), { provider: stranger })).toMatchObject(
      notReady('NOT_SUBSCRIBED'),
    )
    expect(await offer(await sign(50_000_000n), { token: stranger })).toMatchObject(
      notReady('TOKEN_NOT_APPROVED'),
    )
    await protocol.send(alice, 'unsubscribe', [weekly])
    expect(await offer(await sign(50_000_000n))).toMatchObject(notReady('NOT_SUBSCRIBED'))
  })

  it('refuses what no token takes, before it is kept', async () => {
    const permit = await sign(50_000_000n)
    const isVoid = (flaw: string) => ({ status: 422, body: { code: 'PERMIT_VOID', flaw } })
    expect(await offer({ ...permit, value: '50000001' })).toMatchObject(isVoid('signature'))
    expect(await offer({ ...permit, deadline: 1_700_000_000 })).toMatchObject(isVoid('expired'))
    for (const deadline of [0, permit.deadline + 2 * 86_400]) {
      expect(await offer({ ...permit, deadline })).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'deadline', message: 'is more than 7 days ahead' }] },
      })
    }
    await carry(permit)
    expect(await offer(permit)).toMatchObject(isVoid('used'))
    const { body } = await offer({ ...permit, token: chain.tokens.dai })
    expect(body.code).toBe('PERMIT_UNSUPPORTED')
    expect((await list(providers)).rescues).toEqual([])
  })
})

describe('a permit that is not of a key and an amount', () => {
  const inSixDays = async () => (await chain.now()) + 6 * 86_400

  /** By what the service answers, as a member does. */
  async function sign(from: Address, token: Address) {
    const deadline = await inSixDays()
    await service.caughtUp()
    const asked = { from, token, permit: true, permitDeadline: deadline, infiniteApproval: token === daiLike }
    const { body } = await service.post('/prepare/extend_coverage', asked)
    const { domain, types, message } = Typed.parse(body.permit)
    const signature = await owner.signTypedData({ domain, types, primaryType: 'Permit', message })
    const { value, allowed } = message
    return { owner: from, token, ...(allowed ? { allowed } : { value }), deadline, signature }
  }
  const Typed = z.object({
    domain: z.record(z.string(), z.unknown()),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    message: z.looseObject({ value: z.string().optional(), allowed: z.boolean().optional() }),
  })
  const ofSafe = async () => {
    const deadline = await inSixDays()
    return { owner: safe, token: usdc, value: '50000000', deadline, signature: SIGNATURE }
  }
  const Row = z.looseObject({ id: z.string(), value: z.string(), allowed: z.boolean().nullable() })

  it.each<[what: string, permit: () => Promise<{ owner: Address; token: Address }>, stated: object]>([
    ['a contract wallet', () => sign(account, usdc), { allowed: null }],
    [
      'a contract wallet whose signature is none of a key',
      ofSafe,
      { value: '50000000', allowed: null, signature: SIGNATURE },
    ],
    ['DAI’s own form', () => sign(alice, daiLike), { value: String(maxUint256), allowed: true }],
  ])('is kept, listed and carried by what the list says: of %s', async (_what, signed, stated) => {
    const permit = await signed()
    const plan = permit.token === usdc ? weekly : inDai
    expect((await offer(permit)).status).toBe(201)
    await indexed(service, chain)
    const { rescues } = await list(providers)
    const [row] = z.tuple([Row]).parse(rescues)
    const { id, value, allowed, deadline, signature, subscriptions } = row
    expect(rescues).toMatchObject([{ ...stated, owner: permit.owner, token: permit.token }])
    expect(subscriptions).toEqual([plan.id])
    const carried = await service.post('/prepare/carry_permit', {
      from: keeper,
      owner: permit.owner,
      token: permit.token,
      ...(allowed === null ? { value } : { allowed }),
      deadline,
      signature,
    })
    expect(carried.status).toBe(200)
    await expectKept({ chain, service, signer: signerOf(9) }, carried, [daiLike])
    const allowance = await chain.client.readContract({
      address: permit.token,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [permit.owner, chain.contract],
    })
    expect(String(allowance)).toBe(value)
    expect((await withdraw(id, await keyOf(permit.owner.toLowerCase()))).status).toBe(200)
  })
})

/** Anybody carries it, past the service. */
async function carry({ value, deadline, signature }: { value: string; deadline: number; signature: string }) {
  const bytes = z.templateLiteral(['0x', z.string()]).parse(signature)
  const token = contractAt(chain.client, usdc, UsdcLikeToken.abi)
  await token.send(stranger, 'permit', [alice, chain.contract, BigInt(value), BigInt(deadline), bytes])
}

it('is nothing where the operator has not switched it on', async () => {
  const notFound = { status: 404, body: { code: 'NOT_FOUND' } }
  expect(await offer(await sign(50_000_000n), {}, off)).toMatchObject(notFound)
  expect(await off.get(`/rescues?provider=${provider}`)).toMatchObject(notFound)
  expect(await off.get(`/rescues/rescue_${'0'.repeat(32)}`, { method: 'DELETE' })).toMatchObject(notFound)
})

it('tells the provider’s own webhooks that name it, without the signature, and no log', async () => {
  const hear = async (path: string, by: object, types: string[] | undefined) => {
    const wanted = { url: receiver.url(path), ...(types && { types }) }
    expect((await service.post('/developer/webhooks', wanted, by)).status).toBe(201)
  }
  const types = ['rescue.offered']
  await hear('/provider', providers, types)
  await hear('/all', providers, undefined)
  await hear('/stranger', strangers, types)
  await hear('/alice', alices, types)
  const permit = await sign(50_000_000n)
  const { rescue } = Offered.parse((await offer(permit)).body)
  await expect.poll(() => receiver.at('/provider').length, { timeout: 20_000 }).toBe(1)
  const [{ body } = { body: '' }] = receiver.at('/provider')
  const { id, owner: member, token, value, deadline, nonce, subscriptions } = rescue
  expect(JSON.parse(body)).toEqual({
    type: 'rescue.offered',
    id: expect.stringMatching(/^evt_[0-9a-f]{40}$/),
    time: expect.any(String),
    chainId: chain.chainId,
    data: { rescueId: id, provider, owner: member, token, value, deadline, nonce, subscriptions },
  })
  for (const path of ['/all', '/stranger', '/alice']) {
    expect(receiver.at(path).filter(({ type }) => type === 'rescue.offered')).toEqual([])
  }
  const { body: events } = await service.get('/events?first=100')
  expect(JSON.stringify(events)).not.toContain('rescue')
  const told = [receiver.received.map((one) => one.body), service.logged, events]
  expect(JSON.stringify(told)).not.toContain(permit.signature.slice(8, 40))
  await clear()
})

describe('a prepare that changes the allowance', () => {
  const prepares = [
    ['extend_coverage', { token: usdc, approvalPeriods: 100 }],
    ['extend_coverage', { token: usdc, approvalPeriods: 100, permit: true }],
    ['revoke_allowance', { token: usdc }],
  ] as const
  const warningsOf = async (path: string, input: object) => {
    const { status, body } = await service.post(`/prepare/${path}`, { from: alice, ...input })
    expect({ status, body }).toMatchObject({ status: 200 })
    return z
      .array(z.looseObject({ code: z.string() }))
      .parse(body.warnings)
      .filter(({ code }) => code === 'PERMIT_OUTSTANDING')
  }

  it('warns of a permit that is kept, until its nonce is used', async () => {
    const other = await protocol.create({ amount: 10n ** 20n })
    await offer(await sign(50_000_000n))
    const subscribing = [{ id: other.id }, { id: other.id, permit: true }] as const
    const inputs = [...prepares, ...subscribing.map((input) => ['subscribe_by_id', input] as const)]
    for (const [path, input] of inputs) {
      expect(await warningsOf(path, input)).toMatchObject([
        { value: { amount: '50', amountRaw: '50000000' }, nonce: '0', deadline: expect.any(Number) },
      ])
    }
    const [warning] = await warningsOf('revoke_allowance', { token: usdc })
    expect(warning?.message).toContain(
      'it sets the allowance to 50 USDC, also after this. To void it, ask here with permit: true, sign, and carry that permit',
    )
    await carry(await sign(maxUint256))
    await service.caughtUp()
    expect(await warningsOf('revoke_allowance', { token: usdc })).toEqual([])
    await clear()
    expect(await warningsOf('revoke_allowance', { token: usdc })).toEqual([])
  })
})
