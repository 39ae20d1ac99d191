import { isIP, isIPv4 } from 'node:net'
import { ValidationError } from '@remit/engine/errors/input'
import { describe, expect, it } from 'vitest'
import { hostOf, reachOf, readWebhookUrl } from './addresses.ts'

/** One address of each forbidden range, and its borders. */
const FORBIDDEN = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255', '198.51.100.7', '203.0.113.7'],
  ['168.63.129.16'],
  ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ['::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
  ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8', '::127.0.0.1'],
  ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1', '100::1'],
  ['2001::1', '2001:0:5ef5:79fd::1', '2001:10::1', '2001:db8::1', '3fff::1'],
  ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1'],
  ['example.com', '', '1.2.3', '1.2.3.4.5'],
].flat()

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0']
const PUBLIC_IPV6 = ['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888']

describe('an address', () => {
  it.each(FORBIDDEN)('is forbidden: %s', (address) => expect(reachOf(address)).toBe('forbidden'))
  it.each([...PUBLIC, ...PUBLIC_IPV6])('is public: %s', (address) => expect(reachOf(address)).toBe('public'))
  it.each(['127.0.0.1', '127.255.255.255', '::1'])('is of this machine: %s', (address) =>
    expect(reachOf(address)).toBe('loopback'),
  )
})

/** Every way to write an IPv4 address in a URL: in one number, in parts of three bases, short, in other scripts, in IPv6. */
function writtenIPv4(address: string): string[] {
  const parts = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (number: number) => `0x${number.toString(16)}`
  const octal = (number: number) => `0${number.toString(8)}`
  const pair = (high: number, low: number) => (high * 256 + low).toString(16)
  const [front, back] = [pair(a, b), pair(c, d)]
  const fullWidth = address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
  return [
    ...[address, `${address}.`, `${whole}`, hex(whole), octal(whole), hex(whole).toUpperCase()],
    ...[
      parts.map(hex).join('.'),
      parts.map(octal).join('.'),
      parts.map((part) => `00${octal(part)}`).join('.'),
    ],
    ...[
      `${a}.${(b * 256 + c) * 256 + d}`,
      `${a}.${b}.${c * 256 + d}`,
      `${hex(a)}.${octal(b)}.${c * 256 + d}`,
    ],
    ...[
      fullWidth,
      fullWidth.replaceAll('.', '。'),
      address.replaceAll(/./g, (one) => `%${hex(one.charCodeAt(0)).slice(2)}`),
    ],
    ...[`::ffff:${address}`, `::ffff:${front}:${back}`, `::ffff:0:${address}`, `::${address}`].map(
      inBrackets,
    ),
    ...[`64:ff9b::${address}`, `64:ff9b:1::${address}`, `2002:${front}:${back}::1`].map(inBrackets),
  ]
}

/** Short, long, and in large letters. */
function writtenIPv6(address: string): string[] {
  const [head = '', tail = ''] = address
    .split('::')
    .map((half) => half.split(':').filter((part) => part !== ''))
    .map((half) => half.join(':'))
  const count = [head, tail].flatMap((half) => half.split(':')).filter((part) => part !== '').length
  const whole = [
    ...head.split(':'),
    ...Array.from({ length: 8 - count }, () => '0'),
    ...tail.split(':'),
  ].filter((part) => part !== '')
  const long = whole.map((part) => part.padStart(4, '0')).join(':')
  return [address, address.toUpperCase(), whole.join(':'), long].map(inBrackets)
}

const inBrackets = (address: string) => `[${address}]`

describe('the URL of a webhook', () => {
  const literals = [...FORBIDDEN, '127.0.0.1', '127.255.255.255', '::1'].filter(
    (one) => isIP(one) !== 0 && !one.includes('%'),
  )

  it.each(literals)('is refused however its address is written: %s', (address) => {
    const isPlain = isIPv4(address)
    const written = isPlain
      ? writtenIPv4(address)
      : address.includes('.')
        ? [inBrackets(address)]
        : writtenIPv6(address)
    for (const host of written) {
      for (const url of [`https://${host}/`, `https://${host}:8443/`]) {
        expect(() => readWebhookUrl(url, false), url).toThrow(ValidationError)
        // Where this machine is allowed, nothing else is.
        if (reachOf(address) === 'forbidden')
          expect(() => readWebhookUrl(url, true), url).toThrow(ValidationError)
      }
    }
  })

  it.each([
    // One address in every way that URLs know: decimal, octal, hex, short, full-width, with a dot at its end.
    'https://2130706433/',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://0/',
    'https://169.254.169.254/latest/meta-data',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://[fd00:ec2::254]/',
    'https://10.1/',
    'https://192.168.257/',
    'https://[2002:7f00:1::]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    'http://hooks.example/',
    'http://8.8.8.8/',
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'gopher://hooks.example/',
    'javascript:alert(1)',
    'https://user@hooks.example/',
    'https://user:password@hooks.example/',
    'https://:@127.0.0.1/',
    'https://hooks.example/#part',
    'hooks.example',
    '//hooks.example/',
    'https://',
    `https://hooks.example/${'a'.repeat(2_048)}`,
  ])('is refused, and the field is named: %s', (text) => {
    const read = () => readWebhookUrl(text, false)
    expect(read).toThrow(ValidationError)
    expect(read).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path: 'url' })] }))
  })

  it.each([
    'https://hooks.example/in?a=b',
    'https://hooks.example:8443',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('is taken: %s', (text) => expect(readWebhookUrl(text, false).href).toContain('https://'))

  it('may lead to this machine over http only where that is allowed, and to no private network even then', () => {
    for (const text of [
      'http://localhost:4000/',
      'http://127.0.0.1:4000/',
      'http://[::1]:4000/',
      'https://localhost/',
    ]) {
      expect(readWebhookUrl(text, true).href).toContain(hostOf(new URL(text)))
      expect(() => readWebhookUrl(text, false)).toThrow(ValidationError)
    }
    for (const text of [
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'http://169.254.169.254/',
      'http://hooks.example/',
    ]) {
      expect(() => readWebhookUrl(text, true)).toThrow(ValidationError)
    }
  })
})
