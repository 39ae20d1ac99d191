import { type Address, concatHex, type Hex } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { signerOf, useTestChain } from '../../support/chain/useTestChain.ts'
import { useCountingProxy } from '../../support/nodes/countingProxy.ts'
import { type TestService, useTestService } from '../../support/service/testService.ts'
import { Receiver } from '../../support/webhooks/Receiver.ts'
import { Browser, type Fields } from '../Browser.ts'
import { asWallet, NO, YES } from '../contractWallet.ts'

const chain = await useTestChain()
const other = await useTestChain({ chainId: 4242 })
const node = await useCountingProxy(chain.url)
const environment = {
  PORTAL: 'open',
  LIMIT_NEW_KEYS_DAILY: '1000',
  WEBHOOKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
}
const now = () => 0
const both = await useTestService([{ ...chain, url: node.url }, other], environment)
const receiver = await new Receiver().start()
afterAll(() => receiver.close())

const Made = z.object({ id: z.string() })
const MAKE_KEY = ['POST', '/developer/keys', {}] as const

const ENDED = {
  status: 401,
  body: { code: 'UNAUTHORIZED', error: expect.stringContaining('no longer confirms the sign-in') },
}

async function setCode(on: Pick<typeof chain, 'client'>, address: Address, bytecode: Hex): Promise<void> {
  await on.client.setCode({ address, bytecode })
  await on.client.mine({ blocks: 1 })
}

async function signedIn(
  wallet: Parameters<Browser['signIn']>[0],
  fields: Fields = {},
  on: TestService = both,
): Promise<Browser> {
  await on.caughtUp()
  const browser = new Browser(on, chain.chainId, now)
  expect((await browser.signIn(wallet, fields)).status).toBe(201)
  return browser
}

const makeWebhook = (browser: Browser) =>
  browser.ask('POST', '/developer/webhooks', { url: receiver.url('/of-a-contract') })

describe('a contract at the same address on another chain, which can be anybody’s', () => {
  it('has neither keys nor webhooks: those belong to the contract on the default chain', async () => {
    const address: Address = `0x${'b1'.repeat(20)}`
    for (const on of [chain, other]) await setCode(on, address, YES)
    const owner = await signedIn(asWallet(address))
    const made = await owner.ask('POST', '/developer/keys', { label: 'Billing' })
    expect(made.status).toBe(201)
    const { id } = Made.parse(made.body)
    expect((await makeWebhook(owner)).status).toBe(201)

    const stranger = await signedIn(asWallet(address), { chainId: other.chainId })
    const closed = {
      status: 403,
      body: { code: 'PORTAL_CLOSED', error: expect.stringMatching(/signed in on chain 4242.*sign in there/) },
    }
    for (const [method, path, body] of [
      ['GET', '/developer/keys'],
      ['POST', '/developer/keys', {}],
      ['GET', `/developer/keys/${id}`],
      ['GET', `/developer/keys/${id}/usage`],
      ['POST', `/developer/keys/${id}`, { label: 'Mine' }],
      ['POST', `/developer/keys/${id}/rotate`, {}],
      ['DELETE', `/developer/keys/${id}`],
      ['GET', '/developer/webhooks'],
      ['POST', '/developer/webhooks', { url: receiver.url('/of-a-stranger') }],
    ] as const) {
      expect(await stranger.ask(method, path, body), `${method} ${path}`).toMatchObject(closed)
    }
    expect(receiver.received.filter(({ path }) => path === '/of-a-stranger')).toEqual([])
  })

  it('is not on the operator’s list by its address', async () => {
    const address: Address = `0x${'b2'.repeat(20)}`
    for (const on of [chain, other]) await setCode(on, address, YES)
    const list = { ...environment, PORTAL: 'allowlist', PORTAL_WALLETS: address }
    const listing = await useTestService([chain, other], list)
    const stranger = await signedIn(asWallet(address), { chainId: other.chainId }, listing)
    expect((await stranger.ask(...MAKE_KEY)).status).toBe(403)
    const owner = await signedIn(asWallet(address), {}, listing)
    expect((await owner.ask(...MAKE_KEY)).status).toBe(201)
  })

  it('is told from a wallet’s own key, which is the same everywhere, code at its address (EIP-7702) or not', async () => {
    const delegated = signerOf(7)
    const delegate: Address = `0x${'b3'.repeat(20)}`
    await setCode(other, delegate, YES)
    await setCode(other, delegated.address, concatHex(['0xef0100', delegate]))
    const byKey = await signedIn(delegated, { chainId: other.chainId })
    expect((await byKey.ask(...MAKE_KEY)).status).toBe(201)
    // What its delegate on another chain confirms is that contract's word, and not the key's.
    const byDelegate = await signedIn(asWallet(delegated.address), { chainId: other.chainId })
    expect((await byDelegate.ask(...MAKE_KEY)).status).toBe(403)
  })
})

describe('a session of a contract whose owners have changed', () => {
  it.each<[string, Parameters<Browser['ask']>]>([
    ['a new key', ['POST', '/developer/keys', {}]],
    ['a new name of a key', ['POST', '/developer/keys/KEY', { label: 'Mine' }]],
    ['a key in the place of another', ['POST', '/developer/keys/KEY/rotate', {}]],
    ['the end of a key', ['DELETE', '/developer/keys/KEY']],
    ['a new webhook', ['POST', '/developer/webhooks', { url: receiver.url('/late') }]],
    ['a webhook that is changed', ['POST', '/developer/webhooks/HOOK', { description: 'Mine' }]],
    ['a webhook that is paused', ['POST', '/developer/webhooks/HOOK/pause', {}]],
    ['a new secret of a webhook', ['POST', '/developer/webhooks/HOOK/rotate_secret', {}]],
    ['the end of a webhook', ['DELETE', '/developer/webhooks/HOOK']],
  ])('gives %s no more, and ends', async (what, [method, path, body]) => {
    const address: Address = `0x${Buffer.from(what).toString('hex').padEnd(40, 'c').slice(0, 40)}`
    await setCode(chain, address, YES)
    const browser = await signedIn(asWallet(address))
    const { id } = Made.parse((await browser.ask(...MAKE_KEY)).body)
    const hook = z.object({ webhook: Made }).parse((await makeWebhook(browser)).body).webhook.id
    await setCode(chain, address, NO)
    await both.caughtUp()
    const at = path.replace('KEY', id).replace('HOOK', hook)
    expect(await browser.ask(method, at, body)).toMatchObject(ENDED)
    expect((await browser.ask('GET', '/portal/session')).body).toMatchObject({ session: null })
    // Nothing was changed.
    await setCode(chain, address, YES)
    const again = await signedIn(asWallet(address))
    const keys = z.object({ keys: z.array(z.looseObject({ label: z.null(), revokedAt: z.null() })) })
    expect(keys.parse((await again.ask('GET', '/developer/keys')).body).keys).toHaveLength(1)
    const hooks = { webhooks: [{ id: hook, status: 'active', description: null }] }
    expect((await again.ask('GET', '/developer/webhooks')).body).toMatchObject(hooks)
    expect(receiver.received.filter(({ path: heard }) => heard === '/late')).toEqual([])
  })

  it('ends where a delegation (EIP-7702) was taken back; a session of the key goes on', async () => {
    const delegated = signerOf(8)
    const delegate: Address = `0x${'b4'.repeat(20)}`
    await setCode(chain, delegate, YES)
    await setCode(chain, delegated.address, concatHex(['0xef0100', delegate]))
    const byKey = await signedIn(delegated)
    const byDelegate = await signedIn(asWallet(delegated.address))
    expect((await byDelegate.ask(...MAKE_KEY)).status).toBe(201)
    await setCode(chain, delegated.address, '0x')
    await both.caughtUp()
    expect(await byDelegate.ask(...MAKE_KEY)).toMatchObject(ENDED)
    expect((await byKey.ask(...MAKE_KEY)).status).toBe(201)
  })

  it('does nothing while the contract cannot be asked, and goes on after', async () => {
    const address: Address = `0x${'b5'.repeat(20)}`
    await setCode(chain, address, YES)
    const browser = await signedIn(asWallet(address))
    node.fail({
      answer: ({ method }) => (method === 'eth_call' ? { error: { code: -32603, message: 'x' } } : undefined),
    })
    const failed = { status: 502, body: { code: 'UPSTREAM_ERROR' } }
    expect(await browser.ask(...MAKE_KEY)).toMatchObject(failed)
    node.fail({})
    expect((await browser.ask('GET', '/developer/keys')).body).toMatchObject({ keys: [] })
    expect((await browser.ask(...MAKE_KEY)).status).toBe(201)
  })
})
