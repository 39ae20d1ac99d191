import { createSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { readSignIn } from './readSignIn.ts'

const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const NONCE = '0123456789abcdef'
const NOW = Date.UTC(2026, 0, 20, 10)
const rules = { origins: ['https://remit.example', 'http://[::1]:3000'], chainIds: new Set([8453]), now: NOW }

interface Lines {
  readonly first?: string
  readonly address?: string
  /** Between the empty line after the address and the field URI. */
  readonly statement?: readonly string[]
  readonly fields?: readonly string[]
  readonly issuedAt?: string
  readonly more?: readonly string[]
}

/** A message, line by line. */
function messageOf({
  first = 'remit.example wants you to sign in with your Ethereum account:',
  address = ADDRESS,
  statement = ['Sign in.', ''],
  issuedAt = '2026-01-20T10:00:00.000Z',
  fields = [
    'URI: https://remit.example/portal',
    'Version: 1',
    'Chain ID: 8453',
    `Nonce: ${NONCE}`,
    `Issued At: ${issuedAt}`,
  ],
  more = [],
}: Lines): string {
  return [first, address, '', ...statement, ...fields, ...more].join('\n')
}

const read = (lines: Lines) => readSignIn(messageOf(lines), rules)

describe('a message of EIP-4361', () => {
  it('is read as viem writes it, with every field', () => {
    const message = createSiweMessage({
      address: ADDRESS,
      chainId: 8453,
      domain: 'remit.example',
      scheme: 'https',
      uri: 'https://remit.example/portal?from=mail#top',
      version: '1',
      statement: "Sign in, it's free.",
      nonce: NONCE,
      issuedAt: new Date(NOW),
      notBefore: new Date(NOW),
      expirationTime: new Date(NOW + 1),
      requestId: 'a%20b:1',
      resources: ['ipfs://bafy/x', 'https://remit.example/?a=1'],
    })
    expect(readSignIn(message, rules)).toEqual({
      address: ADDRESS,
      chainId: 8453,
      nonce: NONCE,
      expiresAt: NOW + 1,
    })
  })

  it.each<[string, Lines]>([
    ['a time without a fraction', { issuedAt: '2026-01-20T10:00:00Z' }],
    ['a time with a long fraction', { issuedAt: '2026-01-20T10:00:00.123456789Z' }],
    ['a time of another zone', { issuedAt: '2026-01-20T12:30:00+02:30' }],
    ['a time in small letters', { issuedAt: '2026-01-20t10:00:00z' }],
    ['a leap second', { issuedAt: '2026-01-20T09:59:60Z' }],
    ['an address in lower case', { address: ADDRESS.toLowerCase() }],
    ['an address in upper case', { address: `0x${ADDRESS.slice(2).toUpperCase()}` }],
    ['no statement', { statement: [''] }],
    ['an empty statement', { statement: ['', ''] }],
    ['a statement that looks like a field', { statement: ['URI: https://evil.example/', ''] }],
    ['a domain in capitals', { first: 'REMIT.example wants you to sign in with your Ethereum account:' }],
    ['no resources under their name', { more: ['Resources:'] }],
    [
      'resources of every scheme',
      { more: ['Resources:', '- urn:isbn:1', '- ipfs://a/b', '- mailto:a@b.example'] },
    ],
    ['an empty request id', { more: ['Request ID: '] }],
  ])('may have %s', (_what, lines) => {
    expect(read(lines)).toMatchObject({ address: ADDRESS, nonce: NONCE })
  })

  it('may name an address of IPv6 as its domain', () => {
    const fields = [
      'URI: http://[::1]:3000/portal',
      'Version: 1',
      'Chain ID: 8453',
      `Nonce: ${NONCE}`,
      'Issued At: 2026-01-20T10:00:00Z',
    ]
    const first = '[::1]:3000 wants you to sign in with your Ethereum account:'
    expect(read({ first, fields }).nonce).toBe(NONCE)
  })

  it('ends when it says, by whatever clock it is written', () => {
    const more = ['Expiration Time: 2026-01-20T05:00:01.5-05:00']
    expect(read({ more }).expiresAt).toBe(NOW + 1_500)
  })

  it.each<[string, Lines, string]>([
    [
      'another first line',
      { first: 'remit.example wants you to sign in with your ethereum account:' },
      'domain',
    ],
    ['a domain that is none', { first: 'a b wants you to sign in with your Ethereum account:' }, 'domain'],
    ['a wrong checksum', { address: ADDRESS.replace('d8dA', 'D8dA') }, 'address'],
    ['a short address', { address: ADDRESS.slice(0, -1) }, 'address'],
    ['a statement of other characters', { statement: ['Grüße', ''] }, 'statement'],
    ['two lines of statement', { statement: ['one', 'two', ''] }, 'statement'],
    ['a day that there is not', { issuedAt: '2026-02-30T10:00:00Z' }, 'Issued At'],
    ['an hour that there is not', { issuedAt: '2026-01-20T24:00:00Z' }, 'Issued At'],
    ['a time without a zone', { issuedAt: '2026-01-20T10:00:00' }, 'Issued At'],
    ['a time without seconds', { issuedAt: '2026-01-20T10:00Z' }, 'Issued At'],
    ['a date alone', { issuedAt: '2026-01-20' }, 'Issued At'],
    ['a bad end', { more: ['Expiration Time: tomorrow'] }, 'Expiration Time'],
    ['a bad begin', { more: ['Not Before: 2026-13-01T00:00:00Z'] }, 'Not Before'],
    ['a bad request id', { more: ['Request ID: a b'] }, 'Request ID'],
    ['a bad resource', { more: ['Resources:', '- not a uri'] }, 'Resources'],
    ['a resource at no address', { more: ['Resources:', '- http://[2001:db8:1]/'] }, 'Resources'],
    ['a resource with a broken escape', { more: ['Resources:', '- https://a.example/%zz'] }, 'Resources'],
    ['fields in another order', { more: ['Request ID: 1', 'Not Before: 2026-01-20T10:00:00Z'] }, 'line 12'],
    [
      'a field twice',
      { more: ['Not Before: 2026-01-20T10:00:00Z', 'Not Before: 2026-01-20T10:00:00Z'] },
      'line 12',
    ],
    ['a line feed at its end', { more: [''] }, 'line 11'],
    ['a field that is not of the standard', { more: ['Foo: bar'] }, 'line 11'],
  ])('with %s is refused, and the field is named', (_what, lines, named) => {
    expect(() => read(lines)).toThrow(new RegExp(`not one of EIP-4361.*${named}`))
  })

  it.each<[string, number, string]>([
    ['URI', 0, 'URI: remit.example/portal'],
    ['Version', 1, 'Version: 2'],
    ['Chain ID', 2, 'Chain ID: 0x2105'],
    ['Nonce', 3, 'Nonce: short'],
    ['Nonce', 3, 'nonce: 0123456789abcdef'],
  ])('whose %s does not fit is refused, and the field is named', (named, index, line) => {
    const lines = messageOf({}).split('\n')
    lines[5 + index] = line
    expect(() => readSignIn(lines.join('\n'), rules)).toThrow(new RegExp(`not one of EIP-4361.*${named}`))
    lines.splice(5 + index, 1)
    expect(() => readSignIn(lines.join('\n'), rules)).toThrow(new RegExp(`not one of EIP-4361.*${named}`))
  })

  it('of the zero address is refused: a check of no signature may give it', () => {
    expect(() => read({ address: `0x${'0'.repeat(40)}` })).toThrow('the zero address is nobody’s wallet')
  })

  it('has lines that end by LF alone', () => {
    expect(() => readSignIn(messageOf({}).replaceAll('\n', '\r\n'), rules)).toThrow(/not one of EIP-4361.*LF/)
  })

  it('is read in a moment, however it is made to be read slowly', () => {
    const begun = performance.now()
    for (const made of ['a'.repeat(3_000), '['.repeat(3_000), 'a:/'.repeat(1_000), '%41'.repeat(1_000)]) {
      expect(() => read({ more: ['Resources:', `- x://${made}"`] })).toThrow('Resources')
      expect(() => read({ first: `${made}" wants you to sign in with your Ethereum account:` })).toThrow(
        'domain',
      )
    }
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
