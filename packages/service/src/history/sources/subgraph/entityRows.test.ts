import { MAX_DETAILS_LENGTH } from '@remit/protocol/logs/events'
import { cleanText } from '@remit/protocol/text'
import fc from 'fast-check'
import { type Hex, hexToString, stringToHex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { ENTITIES, logIndexOf } from './entityRows.ts'

const transactionHash: Hex = `0x${'a1'.repeat(32)}`
const provider = `0x${'d8'.repeat(20)}`
const id = (suffix: string): Hex => `${transactionHash}${suffix}`
const place = { id: id('05000000'), blockNumber: '32427200', transactionHash }
const subLog = {
  ...place,
  internal_id: `0x${'1d'.repeat(32)}`,
  provider,
  subscriber: zeroAddress,
  timestamp: '1772452800',
  amount: '10000000000000000000',
  token: provider,
  subScriptEvent: 0,
}
const texts = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
const profile = { ...place, provider, timestamp: '1772452800', ...texts }

test.each<[string, number | undefined]>([
  ['00000000', 0],
  ['05000000', 5],
  ['00010000', 256],
  ['78563412', 0x12345678],
  ['ffffff7f', 0x7fffffff],
  // Negative: no log has such an index.
  ['ffffffff', undefined],
  ['', undefined],
  ['0500', undefined],
  ['0500000000', undefined],
])(
  'reads the log index of an id that ends with %j, the least significant byte first: %j',
  (suffix, index) => {
    expect(logIndexOf(id(suffix), transactionHash)).toBe(index)
  },
)

test('finds no log index in an id that begins with another hash', () => {
  expect(logIndexOf(`0x${'a2'.repeat(32)}05000000`, transactionHash)).toBeUndefined()
})

test('reads a row as the log that it was made from', () => {
  expect(ENTITIES.subLogs.row.parse(subLog)).toMatchInlineSnapshot(`
    {
      "id": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a105000000",
      "placed": {
        "blockNumber": 32427200,
        "event": {
          "amount": 10000000000000000000n,
          "eventName": "Created",
          "id": "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
          "provider": "0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8",
          "subScriptEvent": 0,
          "subscriber": undefined,
          "timestamp": 1772452800,
          "token": "0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8",
          "type": "SubLog",
        },
        "logIndex": 5,
        "transactionHash": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
      },
    }
  `)
})

test('reads a zero subscriber as none, and any other as it is', () => {
  const subscriberOf = (subscriber: string) => {
    const { event } = ENTITIES.subLogs.row.parse({ ...subLog, subscriber }).placed
    return event.type === 'SubLog' ? event.subscriber : 'no SubLog'
  }
  expect(subscriberOf(zeroAddress)).toBeUndefined()
  expect(subscriberOf(provider)).toBe('0xd8d8D8D8d8D8D8d8d8D8D8d8d8D8D8d8D8D8d8d8')
})

test('cleans texts like those of logs', () => {
  const misc = 'a\u202eb\u0007\nc'
  const { event } = ENTITIES.provDetailsLogs.row.parse({
    ...profile,
    // A decoder of UTF-8 leaves the mark of its order out.
    company: '\ufeffCo',
    description: 'x'.repeat(MAX_DETAILS_LENGTH + 1),
    misc,
  }).placed
  expect(event).toMatchObject({
    company: 'Co',
    description: `${'x'.repeat(MAX_DETAILS_LENGTH - 1)}…`,
    misc: 'ab c',
  })
})

test('cleans any text as that of its log, though graph-node has left every NUL out', () => {
  const ofEntity = (company: string) => {
    const { event } = ENTITIES.provDetailsLogs.row.parse({ ...profile, company }).placed
    return event.type === 'ProvDetailsLog' ? event.company : 'no ProvDetailsLog'
  }
  const expectSame = (text: string) => {
    const ofLog = cleanText(hexToString(stringToHex(text)), MAX_DETAILS_LENGTH)
    expect(ofEntity(text.replaceAll('\0', ''))).toBe(ofLog)
  }
  expectSame('a\t\0\tb')
  expectSame(`a${'\0'.repeat(2 * MAX_DETAILS_LENGTH)}b`)
  expectSame('\ufeff\0\ufeffa')
  expectSame(`\0\ufeff${'\u0001'.repeat(2 * MAX_DETAILS_LENGTH - 1)}b`)
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\ufeff', '\0', '\u200b', '\n', '\t', '\u2028', '\u0001'),
    fc.constantFrom('\0', '\u0001', 'x').map((unit) => unit.repeat(MAX_DETAILS_LENGTH - 2)),
  )
  fc.assert(fc.property(fc.array(part), (parts) => expectSame(parts.join(''))))
})

test.each([
  { id: '0x' },
  { id: transactionHash },
  { blockNumber: 32427200 },
  { blockNumber: '-1' },
  { blockNumber: '1e3' },
  { transactionHash: `0x${'a2'.repeat(32)}` },
  { internal_id: '0x1d' },
  { provider: '0x12' },
  { subscriber: null },
  { timestamp: '1099511627776' },
  { amount: 10 },
  { amount: '1.5' },
  { subScriptEvent: 10 },
  { subScriptEvent: '0' },
])('refuses a row with %j', (wrong) => {
  expect(ENTITIES.subLogs.row.safeParse({ ...subLog, ...wrong }).success).toBe(false)
})
