import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClientAddresses, isNetwork } from './ClientAddresses.ts'

const CLIENT = '203.0.113.7'

function ownerBehind(trusted: readonly string[], remoteAddress: string | undefined, forwardedFor?: string) {
  return new ClientAddresses(trusted).ownerOf({
    remoteAddress,
    method: 'GET',
    header: (name) => (name === 'x-forwarded-for' ? forwardedFor : undefined),
  })
}

describe('where a request comes from', () => {
  it('is the peer’s address while no proxy is trusted, whatever the headers say', () => {
    expect(ownerBehind([], CLIENT, '10.0.0.1')).toBe(CLIENT)
  })

  it('is the peer where it is not among the trusted proxies', () => {
    expect(ownerBehind(['10.0.0.0/8'], CLIENT, '198.51.100.1')).toBe(CLIENT)
  })

  it('is the entry that a trusted proxy added, not one that the client wrote', () => {
    expect(ownerBehind(['10.0.0.0/8'], '10.1.2.3', `198.51.100.1, ${CLIENT}`)).toBe(CLIENT)
  })

  it('is the entry before the last of several trusted proxies', () => {
    expect(ownerBehind(['10.0.0.0/8', '2001:db8::/32'], '10.1.2.3', `${CLIENT}, 2001:db8::5, 10.9.9.9`)).toBe(
      CLIENT,
    )
  })

  it('is the proxy where it added nothing, or something that cannot be read', () => {
    expect(ownerBehind(['10.0.0.1'], '10.0.0.1')).toBe('10.0.0.1')
    expect(ownerBehind(['10.0.0.1'], '10.0.0.1', `${CLIENT}, unknown`)).toBe('10.0.0.1')
    expect(ownerBehind(['10.0.0.1'], '10.0.0.1', ' , ')).toBe('10.0.0.1')
  })

  it('knows an IPv4 proxy by its IPv4-mapped address too', () => {
    expect(ownerBehind(['127.0.0.1'], '::ffff:127.0.0.1', CLIENT)).toBe(CLIENT)
    expect(ownerBehind(['::ffff:127.0.0.0/104'], '127.0.0.1', CLIENT)).toBe(CLIENT)
  })

  it('is shared by peers that have no address', () => {
    expect(ownerBehind(['10.0.0.1'], undefined, CLIENT)).toBe('unknown')
  })

  it('is never what an untrusted client wrote, whatever it wrote', () => {
    const entry = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.1'), fc.constant('[::1]:1'))
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const written = [...entries, CLIENT].join(', ')
        expect(ownerBehind(['10.0.0.0/8'], '10.0.0.1', written)).toBe(CLIENT)
      }),
    )
  })
})

describe('a trusted proxy', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', 'fd00::/8', '::/0', '::ffff:10.0.0.0/104'])(
    'may be %s',
    (text) => {
      expect(isNetwork(text)).toBe(true)
    },
  )

  it.each([
    '',
    'loopback',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::ffff:10.0.0.0/8',
  ])('cannot be "%s"', (text) => {
    expect(isNetwork(text)).toBe(false)
  })
})
