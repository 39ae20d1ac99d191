import { randomBytes } from 'node:crypto'
import { createClient, verifyPass } from '@remit/client'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn, tupleOf } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { type TestService, useTestService } from '../support/service/testService.ts'
import { Browser } from './Browser.ts'
import { asWallet, NO, YES } from './contractWallet.ts'

const DAY = 86_400
const SHOP = 'https://shop.example'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, provider, keeper } = chain.wallets
// Weekly on Wednesday, from Monday the 2nd of March 2026. Bob's allowance does not last to the first charge.
const weekly = await protocol.create()
await protocol.join(weekly, alice, { allowance: 1_000_000_000n })
await protocol.join(weekly, bob, { balance: 25_000_000n, allowance: 12_000_000n })
await chain.client.mine({ blocks: 100 })
await chain.keep()

const wall = { offsetMs: 0 }
/** The wall's clock goes with the chain's, a minute before it: so the chain's own time holds. */
const chainNow = { seconds: Number((await chain.client.getBlock()).timestamp) }
const now = () => (chainNow.seconds - 60) * 1000 + wall.offsetMs
const key = randomBytes(32).toString('hex')
const environment = { PASSES: 'on', SECRETS_KEY: key, [`FINALITY_DEPTH_${chain.chainId}`]: '5' }
const service = await useTestService([chain], environment, now)
const graceful = await useTestService([chain], { ...environment, PASS_GRACE_DAYS: '3' }, now)

const signers = Array.from({ length: 12 }, (_, index) => signerOf(index))
const signerAt = (address: string) => {
  const signer = signers.find((one) => one.address === address)
  if (signer === undefined) throw new Error(`no wallet ${address}`)
  return signer
}

const Issued = z.object({
  pass: z.string(),
  issuedAt: z.int(),
  expiresAt: z.int(),
  paidThrough: z.object({ date: z.string() }),
})

async function asMember(address: string, on: TestService = service) {
  const block = await chain.client.getBlock()
  chainNow.seconds = Number(block.timestamp)
  await indexed(on, chain)
  const browser = new Browser(on, chain.chainId, now)
  expect((await browser.signIn(signerAt(address))).status).toBe(201)
  const ask = (body: object = {}) =>
    browser.ask('POST', '/passes', { subscriptionId: weekly.id, audience: SHOP, ...body })
  return { browser, ask, issue: async () => Issued.parse((await ask()).body) }
}

const clientOf = (on: TestService = service) => createClient({ url: on.url })
const options = (on: TestService = service) => ({ audience: SHOP, issuer: on.url, now: now() / 1000 })
const endOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000 + DAY - 1

describe('a pass', () => {
  it('says offline who has paid for what, and through when', async () => {
    const { issue } = await asMember(alice)
    const { pass, paidThrough, expiresAt } = await issue()
    const keys = await clientOf().getPassKeys()
    const said = await verifyPass(pass, {
      keys,
      ...options(),
      subscription: { id: weekly.id, chainId: chain.chainId },
    })
    expect(said).toMatchObject({
      subscriber: alice,
      chainId: chain.chainId,
      contractAddress: chain.contract,
      subscriptionId: weekly.id,
      block: { number: expect.any(Number), hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
    expect(said.entitledThrough.getTime() / 1000).toBe(endOf(paidThrough.date))
    expect(expiresAt).toBeLessThanOrEqual(endOf(paidThrough.date))
    expect(expiresAt).toBe(Math.min(now() / 1000 + DAY, endOf(paidThrough.date)))
  })

  it('is a JWT that any library verifies', async () => {
    const { pass } = await (await asMember(alice)).issue()
    const response = await fetch(`${service.url}/.well-known/jwks.json`, { headers: { Origin: SHOP } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const { keys } = await clientOf().getPassKeys()
    const { payload, protectedHeader } = await jwtVerify(pass, createLocalJWKSet({ keys: [...keys] }), {
      issuer: service.url,
      audience: SHOP,
      currentDate: new Date(now()),
    })
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: keys[0]?.kid })
    expect(payload.sub).toBe(`eip155:${chain.chainId}:${alice}`)
  })

  it('is verified in less than a millisecond', async () => {
    const { pass } = await (await asMember(alice)).issue()
    const keys = await clientOf().getPassKeys()
    const times: number[] = []
    for (let turn = 0; turn < 200; turn += 1) {
      const begun = performance.now()
      await verifyPass(pass, { keys, ...options() })
      times.push(performance.now() - begun)
    }
    // The fastest tenth: beside other work, the others wait.
    expect(times.sort((a, b) => a - b)[20]).toBeLessThan(1)
  })

  it('lets nobody in elsewhere, later, earlier, or changed', async () => {
    const { pass, issuedAt, expiresAt } = await (await asMember(alice)).issue()
    const keys = await clientOf().getPassKeys()
    const ask = (change: object, shown = pass) => verifyPass(shown, { keys, ...options(), ...change })
    await expect(ask({ audience: 'https://other.example' })).rejects.toMatchObject({ why: 'wrong-audience' })
    await expect(ask({ issuer: 'https://remit.example' })).rejects.toMatchObject({ why: 'wrong-issuer' })
    const other = { id: `0x${'12'.repeat(32)}`, chainId: chain.chainId }
    await expect(ask({ subscription: other })).rejects.toMatchObject({ why: 'wrong-subscription' })
    const elsewhere = { id: weekly.id, chainId: 1 }
    await expect(ask({ subscription: elsewhere })).rejects.toMatchObject({ why: 'wrong-subscription' })
    await expect(ask({ now: expiresAt + 60 })).rejects.toMatchObject({ why: 'expired' })
    await expect(ask({ now: issuedAt - 61 })).rejects.toMatchObject({ why: 'not-yet' })
    // Clocks may differ by a minute.
    await ask({ now: expiresAt + 59 })
    await ask({ now: issuedAt - 60 })
    await expect(ask({ keys: { keys: [] } })).rejects.toMatchObject({ why: 'unknown-key' })
    const [head = '', body = '', signature = ''] = pass.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + DAY })).toString('base64url')
    await expect(ask({}, `${head}.${forged}.${signature}`)).rejects.toMatchObject({ why: 'bad-signature' })
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', kid: keys.keys[0]?.kid })).toString(
      'base64url',
    )
    await expect(ask({}, `${unsigned}.${body}.`)).rejects.toMatchObject({ why: 'malformed' })
    for (const broken of ['', 'x', 'a.b.c', `${pass}.x`, `${head}.${body}.A`]) {
      await expect(ask({}, broken)).rejects.toMatchObject({ name: 'PassRefusedError' })
    }
  })

  it('has one spelling, and whatever else is shown is refused', async () => {
    const { pass } = await (await asMember(alice)).issue()
    const keys = await clientOf().getPassKeys()
    const show = (shown: unknown) => verifyPass(shown, { keys, ...options() })
    await show(pass)
    // The last character of the signature has four bits that say nothing.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = [...letters]
      .filter((letter) => letter !== pass.at(-1))
      .map((letter) => pass.slice(0, -1) + letter)
    for (const other of [...others, `${pass}==`, ` ${pass}`, `${pass}\n`, pass.replaceAll('.', '..')]) {
      await expect(show(other)).rejects.toMatchObject({ name: 'PassRefusedError' })
    }
    for (const other of [undefined, null, 7, {}, [pass], { pass }, true]) {
      await expect(show(other)).rejects.toMatchObject({ name: 'PassRefusedError', why: 'malformed' })
    }
  })

  it('is not checked by a clock or with a tolerance that is no number: it would hold for ever', async () => {
    const { pass, expiresAt } = await (await asMember(alice)).issue()
    const keys = await clientOf().getPassKeys()
    const late = { keys, ...options(), now: expiresAt + DAY }
    for (const nothing of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      await expect(verifyPass(pass, { ...late, now: nothing })).rejects.toThrow(RangeError)
      await expect(verifyPass(pass, { ...late, skewSeconds: nothing })).rejects.toThrow(RangeError)
    }
    // As JavaScript may give them.
    for (const text of ['soon', null, {}]) {
      await expect(Reflect.apply(verifyPass, undefined, [pass, { ...late, now: text }])).rejects.toThrow(
        RangeError,
      )
    }
  })

  it('is short where a reorg could still undo what it rests on', async () => {
    const { ask } = await asMember(provider)
    expect((await ask()).body).toMatchObject({ code: 'NOT_FOUND' })
    const fresh = await protocol.create({ amount: 2n * 10n ** 18n })
    await protocol.join(fresh, alice, { allowance: 1_000_000_000n })
    const { ask: asAlice } = await asMember(alice)
    const { issuedAt, expiresAt } = Issued.parse((await asAlice({ subscriptionId: fresh.id })).body)
    expect(expiresAt - issuedAt).toBeLessThanOrEqual(300)
  })

  it('is for those who have signed in, and who were members', async () => {
    const stranger = await asMember(keeper)
    expect(await stranger.ask()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    const nobody = new Browser(service, chain.chainId, now)
    const asked = { subscriptionId: weekly.id, audience: SHOP }
    expect(await nobody.ask('POST', '/passes', asked)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    })
    expect((await stranger.ask({ audience: '' })).body).toMatchObject({ issues: [{ path: 'audience' }] })
  })
})

it('a wallet that is a contract has passes on the chain alone whose contract confirmed it: elsewhere its address may be somebody else’s', async () => {
  const other = await useTestChain({ chainId: 4242 })
  const both = await useTestService([chain, other], environment, now)
  const { address } = signerAt(alice)
  for (const { client } of [chain, other]) {
    await client.setCode({ address, bytecode: YES })
    await client.mine({ blocks: 1 })
  }
  await both.caughtUp()
  await indexed(both, chain)
  const browser = new Browser(both, chain.chainId, now)
  const ask = () => browser.ask('POST', '/passes', { subscriptionId: weekly.id, audience: SHOP })
  expect((await browser.signIn(asWallet(address), { chainId: other.chainId })).status).toBe(201)
  expect(await ask()).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', error: expect.stringContaining('signed in on chain 4242') },
  })
  expect((await browser.signIn(asWallet(address))).status).toBe(201)
  expect((await ask()).status).toBe(201)
  // It is asked again for each pass: its owners may have changed.
  await chain.client.setCode({ address, bytecode: NO })
  await chain.client.mine({ blocks: 1 })
  await both.caughtUp()
  expect(await ask()).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', error: expect.stringContaining('no longer confirms the sign-in') },
  })
  await chain.client.setCode({ address, bytecode: '0x' })
  // A key is the same wallet on every chain.
  expect((await browser.signIn(signerAt(alice), { chainId: other.chainId })).status).toBe(201)
  expect((await ask()).status).toBe(201)
})

it('after a drop there is none, grace or not; who left has one until the last paid day, and the days of grace', async () => {
  expect((await (await asMember(bob)).ask()).status).toBe(201)
  // Wednesday the 4th is charged on Thursday the 5th at the latest.
  await chain.advanceDays(2)
  for (let calls = 0; calls < 6; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
  await chain.client.mine({ blocks: 10 })
  const dropped = { status: 403, body: { code: 'NOT_ENTITLED', state: 'dropped' } }
  expect(await (await asMember(bob)).ask()).toMatchObject(dropped)
  expect(await (await asMember(bob, graceful)).ask()).toMatchObject(dropped)

  const { pass, paidThrough, expiresAt } = await (await asMember(alice)).issue()
  expect(paidThrough.date).toBe('2026-03-10')
  expect(expiresAt).toBeLessThanOrEqual(endOf('2026-03-10'))
  const keys = await clientOf().getPassKeys()
  await verifyPass(pass, { keys, ...options() })
  await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
  await chain.client.mine({ blocks: 10 })
  expect(await (await asMember(alice)).ask()).toMatchObject({
    status: 201,
    body: { paidThrough: { date: '2026-03-10' } },
  })
  await chain.advanceDays(7)
  expect(await (await asMember(alice)).ask()).toMatchObject({
    status: 403,
    body: { code: 'NOT_ENTITLED', state: 'left' },
  })
  const late = await (await asMember(alice, graceful)).issue()
  expect(late.expiresAt).toBeLessThanOrEqual(endOf('2026-03-13'))
}, 60_000)
