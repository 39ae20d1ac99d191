import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClientAddresses, isNetwork, ownerOf, parseForwarded, parseIp } from './ClientAddresses.ts'

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

function owner(text: string): string | undefined {
  const address = parseIp(text)
  return address && ownerOf(address)
}

describe('who is behind an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is %s', (text, expected) => {
    expect(owner(text)).toBe(expected)
  })

  it.each([
    '',
    'unknown',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '::1::',
    'g::',
    '1:2:3:4:5:6:7:8:9',
  ])('"%s" is no address', (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  it('is the same for every way to write an IPv6 address, and for all of its /64', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
    const host = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(groups, host, (written, other) => {
        const text = (values: readonly number[]) => values.map((value) => value.toString(16)).join(':')
        const padded = written.map((value) => value.toString(16).toUpperCase().padStart(4, '0')).join(':')
        // The platform's own idea of the shortest form.
        const shortest = new URL(`http://[${text(written)}]/`).hostname.slice(1, -1)
        const expected = owner(text(written))
        expect(owner(padded)).toBe(expected)
        expect(owner(shortest)).toBe(expected)
        fc.pre(written.slice(0, 4).some((group) => group !== 0))
        expect(owner(text([...written.slice(0, 4), ...other]))).toBe(expected)
      }),
    )
  })
})

describe('an entry of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8:0:0:0:0:0:1'],
    ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ])('%s is %s', (entry, text) => {
    expect(parseForwarded(entry)?.text).toBe(text)
  })

  it('is an address or nothing, whatever is written there', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.string({ unit: 'binary' })), (entry) => {
        const address = parseForwarded(entry)
        if (address !== undefined) expect(ownerOf(address)).toMatch(/^[0-9.]+$|^[0-9a-f:]+::\/64$/)
      }),
    )
  })
})
