import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { ADMIN_SECRET, type TestService, useTestService } from '../support/service/testService.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from '../support/stores/useRedis.ts'
import { Browser } from './Browser.ts'

const chain = await useTestChain()
const open = { PORTAL: 'open', LIMIT_NEW_KEYS_DAILY: '1000' }
const now = () => 0
const service = await useTestService([chain], open)
const ada = signerOf(0)

const Made = z.object({ id: z.string(), token: z.string() })
const Usage = z.object({ limits: z.array(z.object({ name: z.string(), limit: z.int(), used: z.int() })) })

/** A browser in which the wallet of this number has signed in. */
async function signedIn(index: number, on: TestService = service): Promise<Browser> {
  const browser = new Browser(on, chain.chainId, now)
  expect((await browser.signIn(signerOf(index))).status).toBe(201)
  return browser
}

async function makeKey(browser: Browser, label = 'a test') {
  const { status, body } = await browser.ask('POST', '/developer/keys', { label })
  expect({ status, body }).toMatchObject({ status: 201 })
  return Made.parse(body)
}

const asKey = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('a session', () => {
  it('makes, sees, renames, rotates and revokes keys of its wallet', async () => {
    const browser = await signedIn(1)
    const { id, token } = await makeKey(browser, 'Billing')
    const subjectId = signerOf(1).address.toLowerCase()
    expect((await service.get('/catalog', asKey(token))).headers.get('x-service-lane')).toBe('developer')
    const listed = await browser.ask('GET', '/developer/keys')
    expect(listed.body).toMatchObject({ keys: [{ id, subjectId, label: 'Billing' }] })
    expect(JSON.stringify(listed.body)).not.toContain(token)

    const renamed = await browser.ask('POST', `/developer/keys/${id}`, { label: 'The till' })
    expect(renamed).toMatchObject({ status: 200, body: { key: { id, label: 'The till' } } })
    expect((await service.get('/catalog', asKey(token))).headers.get('x-service-lane')).toBe('developer')

    const rotated = await browser.ask('POST', `/developer/keys/${id}/rotate`, {})
    expect(rotated).toMatchObject({
      status: 201,
      body: { key: { subjectId, label: 'The till' }, replaced: { id } },
    })
    const renewed = Made.parse(rotated.body)
    // For a day both work.
    for (const key of [token, renewed.token]) {
      expect((await service.get('/catalog', asKey(key))).status).toBe(200)
    }
    expect((await browser.ask('DELETE', `/developer/keys/${renewed.id}`)).body).toMatchObject({
      revoked: true,
    })
    expect((await service.get('/catalog', asKey(renewed.token))).status).toBe(401)
  })

  it('neither sees nor touches anybody else’s', async () => {
    const [one, other] = [await signedIn(2), await signedIn(3)]
    const { id, token } = await makeKey(one)
    const notFound = { status: 404, body: { code: 'NOT_FOUND' } }
    expect(await other.ask('GET', `/developer/keys/${id}`)).toMatchObject(notFound)
    expect(await other.ask('GET', `/developer/keys/${id}/usage`)).toMatchObject(notFound)
    expect(await other.ask('POST', `/developer/keys/${id}`, { label: 'Mine' })).toMatchObject(notFound)
    expect(await other.ask('POST', `/developer/keys/${id}/rotate`, {})).toMatchObject(notFound)
    expect(await other.ask('DELETE', `/developer/keys/${id}`)).toMatchObject(notFound)
    expect((await other.ask('GET', '/developer/keys')).body).toMatchObject({ keys: [] })
    const subjectId = signerOf(2).address.toLowerCase()
    const invalid = { status: 400, body: { issues: [{ path: 'subjectId' }] } }
    expect(await other.ask('GET', `/developer/keys?subjectId=${subjectId}`)).toMatchObject(invalid)
    expect(await other.ask('POST', '/developer/keys', { subjectId })).toMatchObject(invalid)
    expect((await service.get('/catalog', asKey(token))).status).toBe(200)
  })

  it('gives a developer’s limits to what the site’s own pages prepare, and is no other credential of the API', async () => {
    const browser = await signedIn(4)
    const read = await browser.ask('GET', '/protocol/state')
    expect([read.status, read.headers.get('x-service-lane')]).toEqual([200, 'free'])
    const laneOf = async (headers: Record<string, string | undefined>) => {
      const body = { from: signerOf(4).address, token: chain.tokens.usdc }
      const { headers: answered } = await browser.ask('POST', '/prepare/revoke_allowance', body, headers)
      return answered.get('x-service-lane')
    }
    expect(await laneOf({})).toBe('developer')
    // Another site's page has no secret; with a stolen one it would still be another site's.
    expect(await laneOf({ 'X-Session-Secret': undefined })).toBe('free')
    expect(await laneOf({ Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' })).toBe('free')
    const listed = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Cookie: browser.cookie ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(listed.headers.get('x-service-lane')).toBe('free')
  })

  it('does not stand in for a wrong secret', async () => {
    const browser = await signedIn(4)
    const answer = await browser.ask('GET', '/developer/keys', undefined, {
      Authorization: 'Bearer wrong-but-long-enough',
    })
    expect(answer.status).toBe(401)
  })

  it('reads what a key has used, and takes nothing by it', async () => {
    const browser = await signedIn(5)
    const { id, token } = await makeKey(browser)
    const usage = async () =>
      Usage.parse((await browser.ask('GET', `/developer/keys/${id}/usage`)).body).limits.map(
        ({ name, used }) => [name, used],
      )
    const nothing = [
      'globalRpm',
      'expensiveRpm',
      'subgraphDaily',
      'writeRpm',
      'writeDaily',
      'dailyTotalRequests',
    ]
    expect(await usage()).toEqual(nothing.map((name) => [name, 0]))
    await service.get('/protocol/state', asKey(token))
    await service.get('/subscriptions?first=1', asKey(token))
    for (let times = 0; times < 3; times += 1) {
      expect(Object.fromEntries(await usage())).toEqual({
        globalRpm: 2,
        expensiveRpm: 1,
        subgraphDaily: 1,
        writeRpm: 0,
        writeDaily: 0,
        dailyTotalRequests: 2,
      })
    }
  })
})

describe('the caps', () => {
  it('let one address make five keys a day, with however many wallets, and however many at once', async () => {
    const strict = await useTestService([chain], { PORTAL: 'open' })
    const browsers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((index) => signedIn(index, strict)))
    const outcomes = await Promise.all(
      browsers.flatMap((browser) => [1, 2, 3].map(() => browser.ask('POST', '/developer/keys', {}))),
    )
    const made = outcomes.filter(({ status }) => status === 201)
    const refused = outcomes.filter(({ status }) => status === 429)
    expect([made.length, refused.length]).toEqual([5, 19])
    expect(refused[0]?.body).toMatchObject({ code: 'RATE_LIMITED', bucket: 'newKeysDaily', limit: 5 })
    // An operator is not held by it.
    const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
    expect((await strict.post('/developer/keys', { subjectId: 'ada' }, admin)).status).toBe(201)
  })

  it('let one wallet hold five keys; a refused key takes none of the day’s, a rotated one gives room', async () => {
    const browser = await signedIn(6)
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => browser.ask('POST', '/developer/keys', {})),
    )
    expect(outcomes.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(outcomes.filter(({ body }) => body.code === 'MAX_KEYS')).toHaveLength(7)
    const { id } = Made.parse(outcomes.find(({ status }) => status === 201)?.body)
    expect((await browser.ask('POST', `/developer/keys/${id}/rotate`, {})).status).toBe(201)
    expect((await browser.ask('POST', '/developer/keys', {})).body.code).toBe('MAX_KEYS')
  })
})

it('lets only listed wallets have keys, where the operator lists them', async () => {
  const listing = await useTestService([chain], { PORTAL: 'allowlist', PORTAL_WALLETS: ada.address })
  const [listed, other] = [await signedIn(0, listing), await signedIn(1, listing)]
  expect((await listed.ask('POST', '/developer/keys', {})).status).toBe(201)
  expect(await other.ask('POST', '/developer/keys', {})).toMatchObject({
    status: 403,
    body: { code: 'PORTAL_CLOSED' },
  })
  expect((await other.ask('GET', '/portal/session')).body).toMatchObject({ portal: 'allowlist', session: {} })
})

it('is where callers at their limit are sent, where it is open and the operator names no other place', async () => {
  const hintOf = async (environment: Record<string, string>) => {
    const at = await useTestService([chain], { LIMIT_FREE_GLOBAL_RPM: '1', ...environment })
    await at.get('/catalog')
    return { url: at.url, hint: String((await at.get('/catalog')).body.upgradeHint) }
  }
  const opened = await hintOf({ PORTAL: 'open' })
  expect(opened.hint).toContain(`get one at ${opened.url}/portal`)
  const named = await hintOf({ PORTAL: 'open', DEVELOPER_PORTAL_URL: 'https://keys.example' })
  expect(named.hint).toContain('get one at https://keys.example')
  expect((await hintOf({ PORTAL: 'allowlist', PORTAL_WALLETS: ada.address })).hint).toContain(
    'from the operator',
  )
})

it('gives no keys to a wallet that can sign in for passes only', async () => {
  const passesOnly = await useTestService([chain], { PORTAL: 'off' })
  const browser = await signedIn(0, passesOnly)
  const closed = { status: 403, body: { code: 'PORTAL_CLOSED' } }
  expect(await browser.ask('POST', '/developer/keys', {})).toMatchObject(closed)
  expect(await browser.ask('GET', '/developer/keys')).toMatchObject(closed)
})

describe.skipIf(!postgresIsInstalled || !redisIsInstalled)('two replicas', () => {
  const postgres = usePostgres()
  const redis = useRedis()

  it('share sessions, nonces, the day’s keys and what was used', async () => {
    const shared = { PORTAL: 'open', DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url }
    const [here, there] = [await useTestService([chain], shared), await useTestService([chain], shared)]
    const browser = new Browser(here, chain.chainId, now)
    const elsewhere = new Browser(there, chain.chainId, now)
    const message = await browser.message(ada)
    const signIn = { message, signature: await ada.signMessage({ message }) }
    const answers = await Promise.all([
      browser.ask('POST', '/portal/session', signIn),
      // Both are behind one name, which a test has not: the message is for the first.
      browser.ask('POST', '/portal/session', signIn),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401])
    elsewhere.cookie = browser.cookie
    elsewhere.secret = browser.secret
    expect((await elsewhere.ask('GET', '/portal/session')).body).toMatchObject({
      session: { address: ada.address },
    })
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        (turn % 2 === 0 ? browser : elsewhere).ask('POST', '/developer/keys', {}),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 201)).toHaveLength(5)
    const { id, token } = Made.parse(outcomes.find(({ status }) => status === 201)?.body)
    await here.get('/protocol/state', asKey(token))
    await there.get('/protocol/state', asKey(token))
    const { limits } = Usage.parse((await elsewhere.ask('GET', `/developer/keys/${id}/usage`)).body)
    expect(limits.find(({ name }) => name === 'globalRpm')).toMatchObject({ used: 2 })
    await elsewhere.ask('DELETE', '/portal/session')
    expect((await browser.ask('GET', '/portal/session')).body).toMatchObject({ session: null })
  }, 60_000)
})
