import { json } from 'node:stream/consumers'
import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { serve } from '../support/service/serve.ts'
import { startTestService, type TestService } from '../support/service/testService.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from '../support/stores/useRedis.ts'
import { TEST_SECRETS_KEY } from '../support/webhooks/startDelivering.ts'
import { Browser } from './Browser.ts'
import { asWallet } from './contractWallet.ts'

const chain = await useTestChain()
const now = () => 0
/** A developer's, and an address's, in a day: within a minute a busy machine would not be done. */
const [DEVELOPER, FREE, EXPENSIVE] = [DEFAULT_LIMITS.developer.globalRpm, DEFAULT_LIMITS.free.globalRpm, 3]

const environment = {
  PORTAL: 'open',
  WEBHOOKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  SECRETS_KEY: TEST_SECRETS_KEY,
  TRUSTED_PROXIES: '127.0.0.1',
  LIMIT_DEVELOPER_DAILY_TOTAL_REQUESTS: String(DEVELOPER),
  LIMIT_FREE_DAILY_TOTAL_REQUESTS: String(FREE),
  LIMIT_FREE_SUBGRAPH_DAILY: String(EXPENSIVE),
  LIMIT_CHALLENGES_DAILY: '6',
}

const Made = z.object({ id: z.string(), token: z.string() })
const Issued = z.object({ webhook: z.object({ id: z.string() }) })

/** Anybody: keys of wallets cost nothing. */
const anybody = () => privateKeyToAccount(generatePrivateKey())

let addresses = 0
/** A network address that nobody has called from. */
function newAddress(): string {
  addresses += 1
  return `203.0.113.${addresses}`
}

/** A browser at this network address, as a proxy tells it. */
class BrowserAt extends Browser {
  readonly address: string

  constructor(on: TestService, address: string) {
    super(on, chain.chainId, now)
    this.address = address
  }

  override ask(method: string, path: string, body?: object, headers = {}) {
    return super.ask(method, path, body, { 'X-Forwarded-For': this.address, ...headers })
  }
}

async function signedIn(on: TestService, address = newAddress(), account = anybody()): Promise<BrowserAt> {
  const browser = new BrowserAt(on, address)
  expect((await browser.signIn(account)).status).toBe(201)
  return browser
}

/** The statuses of so many requests that are made at once. */
async function ask(times: number, request: (turn: number) => Promise<{ status: number }>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, (_, turn) => request(turn)))
  return answers.map(({ status }) => status)
}

const count = (statuses: readonly number[], wanted: number) =>
  statuses.filter((status) => status === wanted).length

function suite(open: () => readonly [TestService, TestService]) {
  const asKey = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  const useKey = (token: string, turn: number) => open()[turn % 2]?.get('/catalog', asKey(token)) ?? fail()

  it('belong to a key and to all that replace it, over any number of rotations and revocations', async () => {
    const [here] = open()
    const browser = await signedIn(here)
    const { body } = await browser.ask('POST', '/developer/keys', {})
    let { id, token } = Made.parse(body)
    const first = token
    let used = 0
    for (let turn = 0; turn < 9; turn += 1) {
      used += count(await ask(6, (request) => useKey(token, request)), 200)
      const rotated = await browser.ask('POST', `/developer/keys/${id}/rotate`, {})
      if (rotated.status === 201) {
        ;({ id, token } = Made.parse(rotated.body))
        continue
      }
      // The subject has as many replaced keys that still work as it may.
      expect(rotated.body.code).toBe('MAX_KEYS')
      await browser.ask('DELETE', `/developer/keys/${id}`)
      ;({ id, token } = Made.parse((await browser.ask('POST', '/developer/keys', {})).body))
    }
    expect(used).toBe(54)
    // The first key lives on for a day.
    used += count(await ask(DEVELOPER, (turn) => useKey(turn % 3 === 0 ? first : token, turn)), 200)
    expect(used).toBe(DEVELOPER)
    const { body: usage } = await browser.ask('GET', `/developer/keys/${id}/usage`)
    const total = { name: 'dailyTotalRequests', limit: DEVELOPER, used: DEVELOPER }
    expect(usage.limits).toContainEqual(expect.objectContaining(total))
  }, 90_000)

  it('are taken from the address that signs in, with a session of before or without', async () => {
    const [here, there] = open()
    const address = newAddress()
    const browser = new BrowserAt(here, address)
    let signedInTimes = 0
    for (let turn = 0; turn < FREE; turn += 1) {
      const nonce = await browser.ask('POST', '/portal/nonce', {})
      if (nonce.status === 429) break
      const account = anybody()
      const message = await browser.message(account, { nonce: z.string().parse(nonce.body.nonce) })
      const signature = await account.signMessage({ message })
      if ((await browser.ask('POST', '/portal/session', { message, signature })).status === 201)
        signedInTimes += 1
    }
    // A nonce and a sign-in each.
    expect(signedInTimes).toBe(FREE / 2)
    const elsewhere = { headers: { 'X-Forwarded-For': address } }
    expect((await there.get('/catalog', elsewhere)).status).toBe(429)
    expect((await browser.ask('GET', '/portal/session')).status).toBe(200)
  }, 60_000)

  it('are one developer’s for all sessions of an address, and each wallet’s own beside', async () => {
    const [here] = open()
    const address = newAddress()
    const wallets = Array.from({ length: 5 }, anybody)
    const [first, ...others] = await Promise.all(wallets.map((wallet) => signedIn(here, address, wallet)))
    const [wallet] = wallets
    if (first === undefined || wallet === undefined) throw new Error('nobody has signed in')
    const browsers = [first, ...others]
    const times = DEVELOPER + 20
    const statuses = await ask(times, (turn) => browsers[turn % 5]?.ask('GET', '/developer/keys') ?? fail())
    expect(count(statuses, 200)).toBe(DEVELOPER)
    const ofFirst = count(
      statuses.filter((_, turn) => turn % 5 === 0),
      200,
    )
    expect(ofFirst).toBeGreaterThan(0)
    // Elsewhere the first has what is left of its own.
    const moved = await signedIn(here, newAddress(), wallet)
    const elsewhere = count(await ask(times, () => moved.ask('GET', '/developer/keys')), 200)
    expect(elsewhere).toBe(DEVELOPER - ofFirst)
    // What its own limit has refused took nothing from the others at that address.
    const neighbour = await signedIn(here, moved.address)
    const theirs = count(await ask(times, () => neighbour.ask('GET', '/developer/keys')), 200)
    expect(theirs).toBe(DEVELOPER - elsewhere)
  }, 90_000)

  it('hold an IPv6 /64 as one address', async () => {
    const [here] = open()
    addresses += 1
    const network = `2001:db8:0:${addresses}`
    let signedInTimes = 0
    for (let turn = 0; turn < FREE; turn += 1) {
      const browser = new BrowserAt(here, `${network}::${turn + 1}`)
      if ((await browser.ask('POST', '/portal/nonce', {})).status === 201) signedInTimes += 1
    }
    expect(signedInTimes).toBe(FREE)
    expect((await new BrowserAt(here, `${network}::ffff`).ask('POST', '/portal/nonce', {})).status).toBe(429)
  })

  it('are taken for asking the contract of a wallet, whatever comes of it', async () => {
    const [here, there] = open()
    const address = newAddress()
    const browser = new BrowserAt(here, address)
    const statuses = []
    for (let turn = 0; turn < EXPENSIVE + 2; turn += 1) {
      statuses.push((await browser.signIn(asWallet(anybody().address))).status)
    }
    expect(statuses).toEqual([...Array(EXPENSIVE).fill(401), 429, 429])
    const search = await there.get('/subscriptions?first=1', { headers: { 'X-Forwarded-For': address } })
    expect(search.body).toMatchObject({ code: 'RATE_LIMITED', bucket: 'subgraphDaily' })
  }, 60_000)

  it('hold for what another site’s page asks of sessions', async () => {
    const [here] = open()
    const browser = await signedIn(here)
    const foreign = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' }
    const asked = () => browser.ask('POST', '/developer/keys', {}, foreign)
    // Two units have signed in.
    const statuses = await ask(FREE + 5, asked)
    expect([count(statuses, 403), count(statuses, 429)]).toEqual([FREE - 2, 7])
  })

  it('hold for challenges to strangers, by wallet and by address, whether they are answered or not', async () => {
    const [here, there] = open()
    const [silent, answering] = [`${strangers}/silent`, `${strangers}/`]
    const address = newAddress()
    const wallet = anybody()
    const before = challenges
    const browser = await signedIn(here, address, wallet)
    const key = Made.parse((await browser.ask('POST', '/developer/keys', {})).body)
    const made = await browser.ask('POST', '/developer/webhooks', { url: answering })
    const { id } = Issued.parse(made.body).webhook
    const byKey = { headers: { ...asKey(key.token).headers, 'X-Forwarded-For': newAddress() } }
    const statuses = [
      (await browser.ask('POST', `/developer/webhooks/${id}`, { url: silent })).status,
      (await there.post('/developer/webhooks', { url: silent }, byKey)).status,
      (await browser.ask('POST', '/developer/webhooks', { url: silent })).status,
      (await there.post(`/developer/webhooks/${id}`, { url: `${answering}2` }, byKey)).status,
      // The same URL is not asked again.
      (await there.post(`/developer/webhooks/${id}`, { url: `${answering}2` }, byKey)).status,
      (await browser.ask('POST', '/developer/webhooks', { url: silent })).status,
    ]
    expect(statuses).toEqual([422, 422, 422, 200, 200, 422])
    // Six of this wallet, and four of its address.
    const refused = { status: 429, body: { code: 'RATE_LIMITED', bucket: 'challengesDaily', limit: 6 } }
    expect(await there.post('/developer/webhooks', { url: silent }, byKey)).toMatchObject(refused)
    const other = await signedIn(here, address)
    expect((await other.ask('POST', '/developer/webhooks', { url: silent })).status).toBe(422)
    expect((await other.ask('POST', '/developer/webhooks', { url: silent })).status).toBe(422)
    expect(await other.ask('POST', '/developer/webhooks', { url: silent })).toMatchObject(refused)
    expect(challenges - before).toBe(8)
  }, 60_000)
}

/** Servers of anybody, which answer challenges but for those at one path. */
let challenges = 0
const strangers = await serve(async (request, response) => {
  challenges += 1
  const { challenge } = z.object({ challenge: z.string() }).parse(await json(request))
  response.end(request.url === '/silent' ? 'no' : challenge)
})

function fail(): never {
  throw new Error('there is no such one')
}

describe('limits in the memory of one process', () => {
  let service: TestService | undefined
  beforeAll(async () => {
    service = await startTestService([chain], environment)
  })
  afterAll(() => service?.close())
  suite(() => (service === undefined ? fail() : [service, service]))
})

describe.skipIf(!postgresIsInstalled || !redisIsInstalled)('limits that two replicas share', () => {
  const postgres = usePostgres()
  const redis = useRedis()
  let services: readonly [TestService, TestService] | undefined
  beforeAll(async () => {
    const shared = { ...environment, DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url }
    services = [await startTestService([chain], shared), await startTestService([chain], shared)]
  }, 60_000)
  afterAll(async () => {
    for (const service of services ?? []) await service.close()
  })
  suite(() => services ?? fail())
})
