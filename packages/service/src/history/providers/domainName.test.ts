import { expect, it } from 'vitest'
import { domainName, proofName } from './domainName.ts'

it.each([
  ['shop.example', 'shop.example'],
  ['  Shop.EXAMPLE. ', 'shop.example'],
  ['a.b.co.example', 'a.b.co.example'],
  // As browsers resolve it, and so it is shown.
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['ｓｈｏｐ．example', 'shop.example'],
])('%s is the domain %s', (stated, name) => {
  expect(domainName(stated)).toBe(name)
})

it.each([
  // Cyrillic, of which some letters and all letters look Latin.
  'pаypal.example',
  'аррӏе.com',
])('%s is never written as the domain that it looks like', (stated) => {
  expect(domainName(stated)).toMatch(/^xn--[a-z0-9-]+\.(example|com)$/)
})

it.each([
  '',
  'shop',
  'localhost',
  'printer.local',
  'vault.corp',
  'metadata.google.internal',
  '10.in-addr.arpa',
  'shop.onion',
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '[::1]',
  'https://shop.example',
  'shop.example/path',
  'shop.example:53',
  'user@shop.example',
  'shop.example shop2.example',
  'shop.example\u0000',
  '*.example',
  '_dmarc.shop.example',
  '-shop.example',
  'shop..example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(122)}example`,
  'shop.example\u202e',
  '\u{1f4a9}'.repeat(200),
])('%j is no domain that is looked up', (stated) => {
  expect(domainName(stated)).toBeUndefined()
})

it('the proof stands below the domain', () => {
  expect(proofName('shop.example')).toBe('ct.shop.example')
})
