import type { GateOptions } from '@remit/client/gate'
import { expect, it } from 'vitest'
import { signerOf } from '../support/wallets/signerOf.ts'
import { GATE, gateOver, inventedClient, PLAN, told } from './gateGround.ts'

const START = Date.UTC(2026, 2, 2, 12)
const ISSUER = 'https://remit.example'
const { address } = signerOf(1)

/** A service that issues passes, and a gate that lets them in. The clients of both know no member. */
async function open(options: Partial<GateOptions['passes']> = {}) {
  const clock = { ms: START }
  const published: { kty: string; crv: string; x: string; kid: string; alg: string; use: string }[] = []
  const signing = new Map<string, CryptoKey>()
  const addKey = async (kid: string) => {
    const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
    const { x = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey)
    signing.set(kid, pair.privateKey)
    published.push({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' })
  }
  await addKey('first')
  const reads: number[] = []
  const keys = async () => {
    reads.push(clock.ms)
    return { keys: [...published] }
  }
  const failures: unknown[] = []
  const { client, asked } = inventedClient({})
  const { send } = gateOver(client, {
    passes: { issuer: ISSUER, keys, ...options },
    now: () => clock.ms,
    onError: (error) => failures.push(error),
  })
  const issue = async (claims: object = {}, kid = 'first') => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const of = {
      iss: ISSUER,
      aud: new URL(GATE).origin,
      sub: `eip155:8453:${address.toLowerCase()}`,
      iat: START / 1000,
      exp: START / 1000 + 3_600,
      jti: 'one',
      chainId: 8453,
      contractAddress: `0x${'11'.repeat(20)}`,
      subscriptionId: PLAN,
      block: { number: 1, hash: `0x${'33'.repeat(32)}` },
      entitledThrough: START / 1000 + 86_400,
      ...claims,
    }
    const signed = `${part({ alg: 'EdDSA', kid })}.${part(of)}`
    const key = signing.get(kid) ?? signing.get('first')
    if (key === undefined) throw new Error('no key')
    const signature = await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(signed))
    return `${signed}.${Buffer.from(signature).toString('base64url')}`
  }
  const enter = async (pass: string | Promise<string>) =>
    told(await send(GATE, { headers: { Authorization: `Bearer ${await pass}` } }))
  return { clock, addKey, reads, failures, asked, issue, enter }
}

it('a pass for one of the plans lets in without asking anybody, until it expires', async () => {
  const { clock, enter, issue, asked, reads } = await open()
  expect(await enter(issue())).toEqual({ status: 200, text: `Welcome, ${address}` })
  clock.ms += 3_600_000 + 60_000
  expect(await enter(issue())).toMatchObject({ status: 402, code: 'PASS_REFUSED' })
  expect([asked, reads.length]).toEqual([[], 2])
})

it.each([
  ['another site', { aud: 'https://shop.example' }, 'somebody else'],
  ['another service', { iss: 'https://evil.example' }, 'Another service'],
  ['another subscription', { subscriptionId: `0x${'cd'.repeat(32)}` }, 'another subscription'],
  ['another chain', { chainId: 1, sub: `eip155:1:${address}` }, 'another subscription'],
])('a pass of %s does not let in', async (_, claims, words) => {
  const { enter, issue } = await open()
  expect(await enter(issue(claims))).toEqual({
    status: 402,
    code: 'PASS_REFUSED',
    error: expect.stringContaining(words),
  })
})

it('a key that is not known is looked for once a minute at most, whatever passes are shown', async () => {
  const { clock, enter, issue, reads, addKey } = await open()
  expect((await enter(issue())).status).toBe(200)
  for (let times = 0; times < 3; times += 1) {
    expect((await enter(issue({}, 'invented'))).status).toBe(402)
  }
  expect(reads.length).toBe(2)
  await addKey('second')
  clock.ms += 60_000
  expect((await enter(issue({}, 'second'))).status).toBe(200)
  expect(reads.length).toBe(3)
})

it('nobody enters by a pass while the keys cannot be read', async () => {
  const away = new Error('away')
  const { enter, issue, failures } = await open({ keys: () => Promise.reject(away) })
  expect((await enter(issue())).status).toBe(503)
  expect(failures).toEqual([away])
})
