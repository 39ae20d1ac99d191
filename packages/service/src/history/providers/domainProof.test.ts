import { signerOf } from '@remit/testing/support/wallets/signerOf'
import { parseSignature, serializeCompactSignature, signatureToCompactSignature } from 'viem'
import { expect, it } from 'vitest'
import { domainName, proofName, readProof } from './domainProof.ts'

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

const [owner, other] = [signerOf(1), signerOf(2)]
const provider = owner.address
const domain = 'shop.example'
const claim = { provider, domain }
const never = async () => Promise.reject(new Error('no contract is to be asked'))
const always = async () => true

const theirs = await owner.signMessage({ message: 'clocktower' })
const ofThisDomain = await owner.signMessage({ message: `shop.example belongs to ${provider}` })

it('the key’s signature over either text proves the domain, however its hex is written', async () => {
  const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(theirs)))
  for (const record of [
    theirs,
    ofThisDomain,
    theirs.slice(2),
    theirs.toUpperCase().replace('0X', '0x'),
    ` ${theirs}\n`,
    compact,
    `${provider} ${theirs}`,
  ]) {
    expect(await readProof([record], claim, never), record).toBe('SIGNED')
  }
  expect(await readProof(['v=spf1 -all', 'ff'.repeat(65), theirs], claim, never)).toBe('SIGNED')
})

it('another wallet’s signature proves nothing: not for this domain, nor a text of another domain or address', async () => {
  for (const record of [
    await other.signMessage({ message: 'clocktower' }),
    await other.signMessage({ message: `shop.example belongs to ${provider}` }),
    await owner.signMessage({ message: `bank.example belongs to ${provider}` }),
    await owner.signMessage({ message: `shop.example belongs to ${provider.toLowerCase()}` }),
    await owner.signMessage({ message: 'shop.example' }),
    `${theirs.slice(0, -4)}0000`,
    '00'.repeat(65),
  ]) {
    expect(await readProof([record], claim, never), record).toBe('OTHER_SIGNATURE')
  }
})

it('records without a signature are no record', async () => {
  for (const record of [
    '',
    'clocktower',
    provider,
    theirs.slice(0, 80),
    'zz'.repeat(65),
    `0x${'1'.repeat(129)}`,
  ]) {
    expect(await readProof([record], claim, always), record).toBe('NO_RECORD')
  }
})

it('a contract that confirms everything gets no domain whose records do not name it', async () => {
  const others = await other.signMessage({ message: 'clocktower' })
  expect(await readProof([others], claim, always)).toBe('OTHER_SIGNATURE')
  expect(await readProof([`${other.address} ${others}`], claim, always)).toBe('OTHER_SIGNATURE')
})

it('a contract that is named proves it by a signature of any length, in one record or in two', async () => {
  const signature = `0x${'12'.repeat(80)}`
  expect(await readProof([`${provider} ${signature}`], claim, always)).toBe('SIGNED')
  expect(await readProof([provider.toLowerCase(), signature], claim, always)).toBe('SIGNED')
  expect(await readProof([`${provider} ${signature}`], claim, async () => false)).toBe('OTHER_SIGNATURE')
})

it('a contract is asked a few times, however many records there are', async () => {
  let asked = 0
  const records = Array.from({ length: 200 }, (_, n) => `0x${n.toString(16).padStart(2, '0').repeat(80)}`)
  await readProof([provider, ...records], claim, async () => {
    asked += 1
    return false
  })
  expect(asked).toBe(4)
})
