import { useDnsServer } from '@remit/testing/support/dns/useDnsServer'
import { type Answer, TRUNCATED_RESPONSE } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { createTxtResolver } from './TxtResolver.ts'

const dns = await useDnsServer()
const { zone } = dns
const { signal } = new AbortController()
const NAME = 'ct.shop.example'
const PROOF = 'ab'.repeat(65)

afterEach(() => {
  zone.clear()
  dns.instead = undefined
})

describe.each([
  ['DNS', () => dns.address],
  ['DNS over HTTPS', () => dns.url],
])('over %s', (_way, server) => {
  const ask = (by = signal) => createTxtResolver(server())(NAME, by)
  const records = async () => (await ask()).records

  it('the strings of a record are one text, and records are apart', async () => {
    zone.set(NAME, { txt: [[PROOF.slice(0, 100), PROOF.slice(100)], ['v=spf1 -all'], ['']] })
    expect((await records()).toSorted()).toEqual(['', PROOF, 'v=spf1 -all'])
  })

  it('aliases are followed to the record, and a ring of them has none', async () => {
    zone.set(NAME, { cname: 'proofs.example' })
    zone.set('proofs.example', { cname: 'more.proofs.example' })
    zone.set('more.proofs.example', { txt: [[PROOF]] })
    expect(await records()).toEqual([PROOF])
    zone.set('more.proofs.example', { cname: NAME })
    expect(await records()).toEqual([])
  })

  it('a name that does not exist has none, and so has one without such records', async () => {
    expect(await records()).toEqual([])
    zone.set(NAME, {})
    expect(await records()).toEqual([])
  })

  it('a resolver that fails, stays silent or answers about another name has said nothing', async () => {
    const ask = () => createTxtResolver(server(), 500)(NAME, signal)
    zone.set(NAME, { rcode: 2 })
    await expect(ask()).rejects.toThrow()
    zone.set(NAME, { rcode: 5 })
    await expect(ask()).rejects.toThrow()
    zone.set(NAME, { isSilent: true })
    await expect(ask()).rejects.toThrow()
    zone.set(NAME, { txt: [[PROOF]], forged: { questions: [{ type: 'TXT', name: 'ct.bank.example' }] } })
    await expect(ask()).rejects.toThrow()
  }, 20_000)

  it('a question that nobody waits for any more ends at once', async () => {
    zone.set(NAME, { isSilent: true })
    const stopped = new AbortController()
    const begun = performance.now()
    const answer = ask(stopped.signal)
    await expect.poll(() => dns.asked.length, { timeout: 10_000 }).toBeGreaterThan(0)
    stopped.abort()
    await expect(answer).rejects.toThrow()
    expect(performance.now() - begun).toBeLessThan(4_000)
  })
})

it('an answer that somebody guessed before the true one does not count', async () => {
  zone.set(NAME, { guessed: ['forged'], txt: [[PROOF]] })
  expect((await createTxtResolver(dns.address)(NAME, signal)).records).toEqual([PROOF])
})

describe('over HTTPS', () => {
  const ask = () => createTxtResolver(dns.url)(NAME, signal)

  it('records that are beside the name do not count', async () => {
    const beside: Answer = { type: 'TXT', class: 'IN', name: 'ct.bank.example', ttl: 60, data: [PROOF] }
    zone.set(NAME, { forged: { answers: [beside] } })
    expect((await ask()).records).toEqual([])
  })

  it('the answer is kept as long as the shortest of its records says', async () => {
    zone.set(NAME, { txt: [[PROOF], ['other']], ttl: 3_600 })
    expect((await ask()).ttlSeconds).toBe(3_600)
    zone.set(NAME, { cname: 'proofs.example', ttl: 60 })
    zone.set('proofs.example', { txt: [[PROOF]], ttl: 3_600 })
    expect((await ask()).ttlSeconds).toBe(60)
  })

  it('what is cut off, too long, no message or of another server counts as a failure', async () => {
    zone.set(NAME, { txt: [[PROOF]], forged: { flags: TRUNCATED_RESPONSE } })
    await expect(ask()).rejects.toThrow('something else')
    dns.instead = { status: 200, type: 'application/dns-message', body: Buffer.alloc(70_000) }
    await expect(ask()).rejects.toThrow('too long')
    dns.instead = { status: 200, type: 'application/dns-message', body: Buffer.from('rubbish') }
    await expect(ask()).rejects.toThrow()
    dns.instead = { status: 200, type: 'text/html', body: '<p>Sign in to this network</p>' }
    await expect(ask()).rejects.toThrow('HTTP 200 with text/html')
    dns.instead = { status: 503, type: 'application/dns-message', body: '' }
    await expect(ask()).rejects.toThrow('HTTP 503')
  })
})
