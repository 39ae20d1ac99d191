import { usedSignaturesInMemory } from '@remit/client/gate'
import { wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x'
import type { Address, Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { asWallet } from '../portal/contractWallet.ts'
import { signerOf } from '../support/wallets/signerOf.ts'
import { challenge, GATE, gateOver, inventedClient, signedHeader, told } from './gateGround.ts'

const [member, other] = [signerOf(1), signerOf(2)]
const START = Date.UTC(2026, 2, 2, 12)

function open(options: Parameters<typeof gateOver>[1] = {}) {
  const clock = { ms: START }
  const { client, asked } = inventedClient({ [member.address]: { entitled: true, through: '2026-04-04' } })
  return { clock, asked, ...gateOver(client, { now: () => clock.ms, ...options }) }
}

const at = (ms: number) => new Date(ms).toISOString()

describe('a message other than the one that was asked for does not let in:', () => {
  it.each([
    ['for another domain', { domain: 'evil.example' }, 'another domain'],
    ['for another origin', { uri: 'https://evil.example/members' }, 'another uri'],
    ['for another part of the same site', { uri: 'https://api.example/other' }, 'another uri'],
    ['for other resources', { resources: ['https://api.example/other'] }, 'another resources'],
    ['with other words', { statement: 'Sign in to something else.' }, 'another statement'],
    ['for another chain', { chainId: 'eip155:1' }, 'another chainId'],
    ['that lasts for longer', { expirationTime: at(START + 86_400_000) }, 'another expirationTime'],
    [
      'from the future',
      { issuedAt: at(START + 3_600_000), expirationTime: at(START + 3_900_000) },
      'issued in the future',
    ],
    ['that is over', { issuedAt: at(START - 300_000), expirationTime: at(START) }, 'has expired'],
    ['with a time in other words', { issuedAt: '2026-03-02T12:00:00+00:00' }, 'has no issuedAt'],
    ['with a start of its own', { notBefore: at(START) }, 'has notBefore'],
    ['with too short a nonce', { nonce: 'abc1234' }, 'has no nonce'],
  ])('one %s', async (_, changed, words) => {
    const gate = open()
    // Their library signs no message with a short nonce.
    const header =
      'nonce' in changed
        ? await signedHeader(gate, member, {}, changed)
        : await signedHeader(gate, member, changed)
    expect(await told(await gate.send(GATE, { headers: header }))).toEqual({
      status: 402,
      code: 'SIGN_IN_REFUSED',
      error: expect.stringContaining(words),
    })
    expect(gate.asked).toEqual([])
  })

  it.each([
    ['an address', { address: member.address }],
    ['a nonce', { nonce: 'abcdefgh12345678' }],
    ['a time', { issuedAt: at(START + 1_000), expirationTime: at(START + 301_000) }],
  ])('one that shows %s other than what was signed', async (_, shown) => {
    const gate = open()
    const headers = await signedHeader(gate, other, {}, shown)
    expect(await told(await gate.send(GATE, { headers }))).toMatchObject({
      status: 402,
      code: 'SIGN_IN_REFUSED',
      error: expect.stringContaining('has not signed this message'),
    })
    expect(gate.asked).toEqual([])
  })

  it.each([
    ['no base64', '{}'],
    ['no JSON', btoa('members')],
    ['a list', btoa('[]')],
    ['nothing', btoa('{}')],
    ['no text in UTF-8', btoa('\u00ff')],
    ['the zero address', btoa(JSON.stringify({ address: `0x${'0'.repeat(40)}` }))],
    ['too much', 'A'.repeat(20_000)],
    ['no word', ''],
  ])('a header that holds %s', async (_, header) => {
    const answer = await open().send(GATE, { headers: { 'SIGN-IN-WITH-X': header } })
    expect(await told(answer)).toMatchObject({ status: 402, code: 'SIGN_IN_REFUSED' })
  })
})

it('a site that passes on what its visitors sign does not enter in their name, whatever Host it sends', async () => {
  const evil = open({ url: 'https://evil.example/members' })
  const headers = await signedHeader(evil, member)
  const gate = open()
  const answer = await gate.send('https://evil.example/members', {
    headers: { ...headers, Host: 'evil.example' },
  })
  expect(await told(answer)).toMatchObject({ status: 402, error: expect.stringContaining('another domain') })
  const asked = await challenge({ send: gate.send, url: 'https://evil.example//evil.example/x' })
  expect(asked).toMatchObject({
    resource: { url: 'https://api.example//evil.example/x' },
    extensions: { 'sign-in-with-x': { info: { domain: 'api.example', uri: GATE } } },
  })
})

it('the digits of an address may be in any case', async () => {
  const gate = open()
  const lower = member.address.toLowerCase() as Address
  for (const headers of [
    await signedHeader(gate, member, {}, { address: lower }),
    await signedHeader(gate, { ...member, address: lower }),
  ]) {
    const answer = await gate.send(GATE, { headers })
    expect(await told(answer)).toEqual({ status: 200, text: `Welcome, ${member.address}` })
  }
})

it('a signature lets in until it expires, at every address behind the gate', async () => {
  const gate = open({ signatureSeconds: 600 })
  const headers = await signedHeader(gate, member)
  expect((await gate.send(`${GATE}/report`, { headers })).status).toBe(200)
  gate.clock.ms += 599_999
  expect((await gate.send(`${GATE}/other`, { headers })).status).toBe(200)
  gate.clock.ms += 1
  expect(await told(await gate.send(GATE, { headers }))).toMatchObject({
    status: 402,
    error: expect.stringContaining('has expired'),
  })
})

it('a signature lets in once where used ones are remembered, for all who remember together', async () => {
  const usedSignatures = usedSignaturesInMemory()
  const [one, another] = [open({ usedSignatures }), open({ usedSignatures })]
  const headers = await signedHeader(one, member)
  const answers = await Promise.all([one, another, one].map(({ send }) => send(GATE, { headers })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402])
  const again = await told(await another.send(GATE, { headers }))
  expect(again).toMatchObject({ status: 402, code: 'SIGN_IN_REFUSED' })
  // x402's clients sign a new one each time.
  for (let time = 0; time < 2; time += 1) {
    expect((await wrapFetchWithSIWx(one.send, member)(GATE)).status).toBe(200)
  }
})

it('where no more used signatures fit, nobody enters by a new one until some have expired', async () => {
  const clock = { ms: START }
  const usedSignatures = usedSignaturesInMemory({ most: 1, now: () => clock.ms })
  const gate = open({ usedSignatures, now: () => clock.ms })
  const enter = async () => gate.send(GATE, { headers: await signedHeader(gate, member) })
  expect((await enter()).status).toBe(200)
  expect((await enter()).status).toBe(503)
  clock.ms += 300_000
  expect((await enter()).status).toBe(200)
})

it('a wallet that is a contract is told that this gate cannot ask it', async () => {
  const gate = open()
  const contract: Hex = `0x${'c1'.repeat(20)}`
  const headers = await signedHeader(gate, asWallet(contract))
  expect(await told(await gate.send(GATE, { headers }))).toMatchObject({
    status: 402,
    code: 'SIGN_IN_REFUSED',
    error: expect.stringContaining('no node to ask whether a contract there confirms it'),
  })
})
