import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { ADMIN_SECRET, type TestService, useTestService } from '../support/service/testService.ts'
import { Receiver } from '../support/webhooks/Receiver.ts'
import { TEST_SECRETS_KEY } from '../support/webhooks/startDelivering.ts'
import { Browser } from './Browser.ts'

const chain = await useTestChain()
const environment = { WEBHOOKS: 'true', SECRETS_KEY: TEST_SECRETS_KEY, WEBHOOKS_ALLOW_LOOPBACK: 'true' }
const now = () => 0
const service = await useTestService([chain], { ...environment, PORTAL: 'open' })
const receiver = await new Receiver().start()
afterAll(() => receiver.close())

const Made = z.object({ webhook: z.object({ id: z.string() }) })
const NONE = { status: 200, body: { webhooks: [] } }
const NOT_FOUND = { status: 404, body: { code: 'NOT_FOUND' } }

async function signedIn(index: number, on: TestService): Promise<Browser> {
  const browser = new Browser(on, chain.chainId, now)
  expect((await browser.signIn(signerOf(index))).status).toBe(201)
  return browser
}

/** The header of a key that an operator makes for this wallet. */
async function keyOf(index: number, on: TestService) {
  const subjectId = signerOf(index).address.toLowerCase()
  const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const { body } = await on.post('/developer/keys', { subjectId }, admin)
  return { headers: { Authorization: `Bearer ${z.object({ token: z.string() }).parse(body).token}` } }
}

it('a session manages the webhooks of its own wallet, as that wallet’s key does, and nobody else’s', async () => {
  const [mine, other] = [await signedIn(1, service), await signedIn(2, service)]
  const made = await mine.ask('POST', '/developer/webhooks', { url: receiver.url('/mine') })
  expect(made).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^whsec_/) } })
  const { id } = Made.parse(made.body).webhook
  const at = `/developer/webhooks/${id}`

  expect(await other.ask('GET', '/developer/webhooks')).toMatchObject(NONE)
  for (const [method, path, body] of [
    ['GET', at],
    ['POST', at, { description: 'taken' }],
    ['POST', `${at}/pause`, {}],
    ['POST', `${at}/rotate_secret`, {}],
    ['POST', `${at}/test`, {}],
    ['GET', `${at}/deliveries`],
    ['DELETE', at],
  ] as const) {
    expect(await other.ask(method, path, body), `${method} ${path}`).toMatchObject(NOT_FOUND)
  }

  const listed = { status: 200, body: { webhooks: [{ id, status: 'active', description: null }] } }
  expect(await mine.ask('GET', '/developer/webhooks')).toMatchObject(listed)
  expect(await service.get('/developer/webhooks', await keyOf(1, service))).toMatchObject(listed)
  expect(await service.get(at, await keyOf(2, service))).toMatchObject(NOT_FOUND)
  // A key that is shown counts, and not the session beside it.
  const { headers } = await keyOf(2, service)
  expect(await mine.ask('GET', '/developer/webhooks', undefined, headers)).toMatchObject(NONE)
  // A page of another site cannot use the session.
  const foreign = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' }
  expect(await mine.ask('POST', `${at}/pause`, {}, foreign)).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  })

  expect(await mine.ask('POST', `${at}/pause`, {})).toMatchObject({
    status: 200,
    body: { webhook: { id, status: 'paused' } },
  })
  expect((await mine.ask('DELETE', at)).status).toBe(200)
  expect(await mine.ask('GET', '/developer/webhooks')).toMatchObject(NONE)
})

it('sessions make five keys and webhooks a day from one address, with however many wallets; keys make more', async () => {
  const on = await useTestService([chain], { ...environment, PORTAL: 'open', LIMIT_NEW_KEYS_DAILY: '5' })
  const url = receiver.url('/many')
  const [first, ...others] = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => signedIn(index, on)))
  // What is not made does not count.
  for (let turn = 0; turn < 6; turn += 1) {
    const refused = await first?.ask('POST', '/developer/webhooks', { url: 'http://10.0.0.1/' })
    expect(refused?.status).toBe(400)
  }
  expect((await first?.ask('POST', '/developer/keys', {}))?.status).toBe(201)
  const made = await Promise.all(others.map((browser) => browser.ask('POST', '/developer/webhooks', { url })))
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 429])
  const refused = made.find(({ status }) => status === 429)
  expect(refused?.body).toMatchObject({ code: 'RATE_LIMITED', bucket: 'newKeysDaily', limit: 5 })
  expect((await on.post('/developer/webhooks', { url }, await keyOf(1, on))).status).toBe(201)
})

it('a session that is for passes only manages no webhooks; a key still does', async () => {
  const passesOnly = await useTestService([chain], { ...environment, PORTAL: 'off', PASSES: 'on' })
  const browser = await signedIn(1, passesOnly)
  const closed = { status: 403, body: { code: 'PORTAL_CLOSED' } }
  const url = receiver.url('/off')
  expect(await browser.ask('POST', '/developer/webhooks', { url })).toMatchObject(closed)
  expect(await browser.ask('GET', '/developer/webhooks')).toMatchObject(closed)
  expect(await passesOnly.get('/developer/webhooks', await keyOf(1, passesOnly))).toMatchObject(NONE)
  expect(receiver.received.filter(({ path }) => path === '/off')).toEqual([])
})
