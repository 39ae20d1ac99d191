import {
  type Address,
  concatHex,
  getCreate2Address,
  type Hex,
  keccak256,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { Browser } from './Browser.ts'
import { asWallet, NO, YES, YES_TO_NONE } from './contractWallet.ts'

const chain = await useTestChain()
const clock = { now: Date.UTC(2020, 0, 1) }
const service = await useTestService([chain], { PORTAL: 'open' }, () => clock.now)
const closed = await useTestService([chain], { PASSES: 'off', RESCUES: 'off' })
const open = (on = service) => new Browser(on, chain.chainId, () => clock.now)
const [ada, ben] = [signerOf(0), signerOf(1)]

const NOBODY = { portal: 'open', session: null }
const who = async (browser: Browser) => (await browser.ask('GET', '/portal/session')).body

const refusal = (why: string) => ({
  status: 401,
  body: { code: 'SIGN_IN_FAILED', error: expect.stringContaining(why) },
})

describe('a wallet that signs in', () => {
  it('has a session for two hours, half in a cookie that no script reads and no other site sends, half its page’s', async () => {
    const browser = open()
    const { status, body, headers } = await browser.signIn(ada)
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        address: ada.address,
        subjectId: ada.address.toLowerCase(),
        expiresAt: clock.now / 1000 + 7200,
        secret: expect.stringMatching(/^[\w-]{43}$/),
      },
    })
    const { secret, ...session } = body
    expect(headers.get('set-cookie')).toMatch(
      /^remit_session=[\w-]{43}; Max-Age=7200; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await who(browser)).toEqual({ portal: 'open', session })
    expect(headers.get('set-cookie')).not.toContain(String(secret))
    clock.now += 7_200_000
    expect(await who(browser)).toEqual(NOBODY)
  })

  it('is told to sign in again where its session has ended, with an admin secret or without', async () => {
    const withoutSecret = await useTestService(
      [chain],
      { PORTAL: 'open', DEVELOPER_KEYS_ADMIN_SECRET: '' },
      () => clock.now,
    )
    const ended = {
      status: 401,
      body: { code: 'UNAUTHORIZED', error: expect.stringMatching(/^Nobody is signed in/) },
    }
    for (const on of [service, withoutSecret]) {
      const browser = open(on)
      expect((await browser.signIn(ada)).status).toBe(201)
      clock.now += 7_200_000
      expect(await browser.ask('GET', '/developer/keys')).toMatchObject(ended)
      expect(await browser.ask('GET', '/developer/webhooks')).toMatchObject(ended)
    }
    // Browsers keep the cookie no longer than the session lasts.
    expect(await open(withoutSecret).ask('GET', '/developer/keys')).toMatchObject(ended)
  })

  it('has the cookie for https only, and for this host only, where the service is published by https', async () => {
    const published = await useTestService(
      [chain],
      { PORTAL: 'open', PUBLIC_URL: 'https://remit.example', ALLOWED_HOSTS: '127.0.0.1' },
      () => clock.now,
    )
    const browser = open(published)
    const at = { domain: 'remit.example', uri: 'https://remit.example/portal' }
    const nonceOf = async () => {
      const { body } = await browser.ask('POST', '/portal/nonce', {}, { Origin: 'https://remit.example' })
      return String(body.nonce)
    }
    const message = await browser.message(ada, { ...at, nonce: await nonceOf() })
    const signature = await ada.signMessage({ message })
    const own = { Origin: 'https://remit.example' }
    const { status, headers } = await browser.ask('POST', '/portal/session', { message, signature }, own)
    expect(status).toBe(201)
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-remit_session=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    // By the name that the process listens on, it is another site.
    const here = await browser.message(ada, { nonce: await nonceOf() })
    const other = { message: here, signature: await ada.signMessage({ message: here }) }
    expect(await browser.ask('POST', '/portal/session', other, own)).toMatchObject(refusal('another domain'))
  })

  it('ends its session by signing out, on every replica, and again without harm', async () => {
    const browser = open()
    await browser.signIn(ada)
    const { cookie } = browser
    expect((await browser.ask('DELETE', '/portal/session')).headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await browser.ask('DELETE', '/portal/session')).status).toBe(200)
    browser.cookie = cookie
    expect(await who(browser)).toEqual(NOBODY)
  })

  it('never takes over a session that was there before, and ends it', async () => {
    const [victim, attacker] = [open(), open()]
    await attacker.signIn(ben)
    const planted = { cookie: attacker.cookie, secret: attacker.secret }
    Object.assign(victim, planted)
    await victim.signIn(ada)
    expect(victim.cookie).not.toBe(planted.cookie)
    expect(victim.secret).not.toBe(planted.secret)
    expect(await who(attacker)).toEqual(NOBODY)
    const invented = open()
    invented.cookie = `remit_session=${'A'.repeat(43)}`
    await invented.signIn(ada)
    expect(invented.cookie).not.toContain('AAAA')
  })
})

describe('another port of this host, which is sent the cookie and can set one', () => {
  const ended = { status: 401, body: { code: 'UNAUTHORIZED' } }

  it('does nothing with the cookie alone, nor with another page’s secret', async () => {
    const [owner, thief] = [open(), open()]
    await owner.signIn(ada)
    thief.cookie = owner.cookie
    expect(await who(thief)).toEqual(NOBODY)
    expect(await thief.ask('POST', '/developer/keys', {})).toMatchObject(ended)
    const other = open()
    await other.signIn(ben)
    for (const secret of [other.secret, 'A'.repeat(43), '', 'x']) {
      thief.secret = secret
      expect(await who(thief)).toEqual(NOBODY)
      expect(await thief.ask('GET', '/developer/keys')).toMatchObject(ended)
    }
    // Without the secret it ends nothing either.
    await thief.ask('DELETE', '/portal/session')
    expect(await who(owner)).toMatchObject({ session: { address: ada.address } })
  })

  it('has no page act for somebody else by setting its own session’s cookie', async () => {
    const [victim, attacker] = [open(), open()]
    await victim.signIn(ada)
    await attacker.signIn(ben)
    victim.cookie = attacker.cookie
    expect(await who(victim)).toEqual(NOBODY)
    expect(await victim.ask('POST', '/developer/keys', {})).toMatchObject(ended)
  })

  it.each(['first', 'last'])(
    'locks nobody out by more cookies of the name, where its own come %s',
    async (place) => {
      const [owner, attacker] = [open(), open()]
      await owner.signIn(ada)
      await attacker.signIn(ben)
      const more = [
        attacker.cookie,
        `remit_session=${'A'.repeat(43)}`,
        'remit_session=',
        'remit_session=x',
        'a=b',
      ]
      owner.cookie = (place === 'first' ? [...more, owner.cookie] : [owner.cookie, ...more]).join('; ')
      expect(await who(owner)).toMatchObject({ session: { address: ada.address } })
      expect((await owner.ask('GET', '/developer/keys')).status).toBe(200)
      // Who signs out ends the own session, whatever the others are.
      const { cookie } = owner
      await owner.ask('DELETE', '/portal/session')
      owner.cookie = cookie
      expect(await who(owner)).toEqual(NOBODY)
      expect(await who(attacker)).toMatchObject({ session: { address: ben.address } })
    },
  )
})

describe('a message', () => {
  it('signs in whoever has written it, as long as it fits the standard', async () => {
    const browser = open()
    const message = (await browser.message(ada, { resources: ['ipfs://a/b'], requestId: '7' }))
      .replace(ada.address, ada.address.toLowerCase())
      .replace('.000Z', '+00:00')
    expect(message).toContain('+00:00')
    const signature = await ada.signMessage({ message })
    const answer = await browser.ask('POST', '/portal/session', { message, signature })
    expect(answer).toMatchObject({ status: 201, body: { address: ada.address } })
  })

  it('may be signed in 64 bytes (EIP-2098)', async () => {
    const browser = open()
    for (let turn = 0; turn < 4; turn += 1) {
      const message = await browser.message(ada)
      const whole = parseSignature(await ada.signMessage({ message }))
      const signature = serializeCompactSignature(signatureToCompactSignature(whole))
      expect(signature).toHaveLength(2 + 128)
      expect((await browser.ask('POST', '/portal/session', { message, signature })).status).toBe(201)
      const bens = serializeCompactSignature(
        signatureToCompactSignature(parseSignature(await ben.signMessage({ message: 'else' }))),
      )
      const other = { message: await browser.message(ada), signature: bens }
      expect(await browser.ask('POST', '/portal/session', other)).toMatchObject(
        refusal('not that of the wallet'),
      )
    }
  })

  it.each([
    '0x',
    `0x${'00'.repeat(65)}`,
    `0x${'12'.repeat(65)}`,
    `0x${'00'.repeat(64)}1b`,
    `0x${'00'.repeat(64)}`,
  ] as const)('of the zero address is refused, with %s as of any other key', async (signature) => {
    const zero = await open().signIn(asWallet(zeroAddress, signature))
    expect(zero).toMatchObject(refusal('the zero address is nobody’s wallet'))
    expect(await open().signIn(asWallet(ada.address, signature))).toMatchObject(
      refusal('not that of the wallet'),
    )
  })

  it('signs in once', async () => {
    const browser = open()
    const message = await browser.message(ada)
    const signIn = { message, signature: await ada.signMessage({ message }) }
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => open().ask('POST', '/portal/session', signIn)),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(401)])
    expect(await browser.ask('POST', '/portal/session', signIn)).toMatchObject(refusal('used before'))
  })

  it.each([
    ['for another domain', { domain: 'evil.example' }, 'another domain'],
    ['for another port', { domain: '127.0.0.1:1' }, 'another domain'],
    ['for another URI', { uri: 'https://evil.example/portal' }, 'another URI'],
    ['of another scheme', { scheme: 'https' }, 'another domain'],
    ['for a chain that is not served', { chainId: 1 }, 'a chain that is not served'],
    ['with a nonce of its own', { nonce: 'abcdefgh12345678' }, 'not known'],
    ['from the future', { issuedAt: new Date(clock.now + 8_000_000_000) }, 'in the future'],
    ['that is old', { issuedAt: new Date(clock.now - 1_000_000) }, 'too old'],
    ['that has expired', { expirationTime: new Date(clock.now - 1) }, 'expired'],
    ['that does not hold yet', { notBefore: new Date(clock.now + 8_000_000_000) }, 'not hold yet'],
  ])('%s is refused', async (_what, fields, why) => {
    expect(await open().signIn(ada, fields)).toMatchObject(refusal(why))
  })

  it('is taken from a clock that is half a minute off, either way', async () => {
    for (const off of [-30_000, 30_000]) {
      const signedIn = await open().signIn(ada, { issuedAt: new Date(clock.now + off) })
      expect(signedIn.status).toBe(201)
    }
  })

  it('is refused once its nonce is ten minutes old', async () => {
    const browser = open()
    const nonce = await browser.nonce()
    clock.now += 600_000
    expect(await browser.signIn(ada, { nonce })).toMatchObject(refusal('too old'))
  })

  it('with an end of its own ends the session then', async () => {
    const expirationTime = new Date(clock.now + 60_000)
    expect((await open().signIn(ada, { expirationTime })).body).toMatchObject({
      expiresAt: expirationTime.getTime() / 1000,
    })
  })

  it('that says more than its fields is refused, and so is one that another wallet signed', async () => {
    const browser = open()
    const message = await browser.message(ada)
    for (const changed of [
      `${message}\n`,
      `Hello\n${message}`,
      message.replace('Version: 1', 'Version: 2'),
      'x',
    ]) {
      const signature = await ada.signMessage({ message: changed })
      const answer = await browser.ask('POST', '/portal/session', { message: changed, signature })
      expect(answer).toMatchObject(refusal('not one of EIP-4361'))
    }
    const signature = await ben.signMessage({ message })
    const answer = await browser.ask('POST', '/portal/session', { message, signature })
    expect(answer).toMatchObject(refusal('not that of the wallet'))
  })
})

describe('a wallet that is a contract', () => {
  const FACTORY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

  it('is asked on its chain: its yes signs in, its no does not', async () => {
    const [yes, no]: Address[] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`]
    if (yes === undefined || no === undefined) throw new Error('no addresses')
    await chain.client.setCode({ address: yes, bytecode: YES })
    await chain.client.setCode({ address: no, bytecode: NO })
    await chain.client.mine({ blocks: 1 })
    await service.caughtUp()
    expect((await open().signIn(asWallet(yes))).status).toBe(201)
    expect(await open().signIn(asWallet(no))).toMatchObject(refusal('not that of the wallet'))
  })

  it('signs in before it is deployed', async () => {
    const length = ((YES.length - 2) / 2).toString(16).padStart(2, '0')
    // Returns the code behind it.
    const initCode = concatHex([`0x60${length}600c60003960${length}6000f3`, YES])
    const salt: Hex = `0x${'00'.repeat(32)}`
    const address = getCreate2Address({ from: FACTORY, salt, bytecodeHash: keccak256(initCode) })
    const signature = serializeErc6492Signature({
      address: FACTORY,
      data: concatHex([salt, initCode]),
      signature: '0x1234',
    })
    expect((await open().signIn(asWallet(address, signature))).status).toBe(201)
    expect(await chain.client.getCode({ address })).toBeUndefined()
  })

  it('takes whatever bytes it takes, which may be none', async () => {
    const address: Address = `0x${'a4'.repeat(20)}`
    await chain.client.setCode({ address, bytecode: YES_TO_NONE })
    await chain.client.mine({ blocks: 1 })
    await service.caughtUp()
    expect((await open().signIn(asWallet(address, '0x'))).status).toBe(201)
    expect(await open().signIn(asWallet(address, '0x12'))).toMatchObject(refusal('not that of the wallet'))
  })

  it('that burns all gas is refused, and costs no more than that', async () => {
    const address: Address = `0x${'a3'.repeat(20)}`
    await chain.client.setCode({ address, bytecode: '0x5b600056' })
    await chain.client.mine({ blocks: 1 })
    await service.caughtUp()
    expect(await open().signIn(asWallet(address))).toMatchObject(refusal('not that of the wallet'))
  })
})

describe('another site’s page', () => {
  it.each([
    ['of another origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['of another port of this machine', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
    ['without an origin', { Origin: undefined, 'Sec-Fetch-Site': undefined }],
    ['of a sandbox', { Origin: 'null', 'Sec-Fetch-Site': undefined }],
    ['that hides its origin', { Origin: undefined, 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s neither signs anybody in nor makes a key', async (_what, headers) => {
    const browser = open()
    await browser.signIn(ada)
    const forbidden = { status: 403, body: { code: 'FORBIDDEN' } }
    expect(await browser.ask('POST', '/developer/keys', {}, headers)).toMatchObject(forbidden)
    expect(await browser.ask('DELETE', '/portal/session', undefined, headers)).toMatchObject(forbidden)
    const message = await browser.message(ben)
    const signIn = { message, signature: await ben.signMessage({ message }) }
    expect(await browser.ask('POST', '/portal/session', signIn, headers)).toMatchObject(forbidden)
    const { body } = await browser.ask('GET', '/developer/keys')
    expect(body.keys).toEqual([])
  })

  it('cannot send a form in place of JSON', async () => {
    const browser = open()
    await browser.signIn(ada)
    const answer = await browser.ask('POST', '/developer/keys', {}, { 'Content-Type': 'text/plain' })
    expect(answer).toMatchObject({ status: 415 })
  })
})

it('is closed unless the operator opens it', async () => {
  const browser = open(closed)
  for (const [method, path] of [
    ['POST', '/portal/nonce'],
    ['POST', '/portal/session'],
  ] as const) {
    const answer = await browser.ask(
      method,
      path,
      method === 'POST' && path.endsWith('session') ? { message: 'x', signature: '0x12' } : {},
    )
    expect(answer).toMatchObject({ status: 403, body: { code: 'PORTAL_CLOSED' } })
  }
})
