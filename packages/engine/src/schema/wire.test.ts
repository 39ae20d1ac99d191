import { parseUrl as ofClient } from '@remit/client/request/parseUrl'
import fc from 'fast-check'
import { getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { HumanAmount } from './amount.ts'
import { ChainIdParam } from './chain.ts'
import { Address, SubscriptionId } from './hex.ts'
import { HexQuantity, Uint256 } from './numbers.ts'
import { ChainText, ChainUrl, parseUrl } from './text.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

function takes(schema: z.ZodType, value: unknown): boolean {
  return schema.safeParse(value).success
}

describe('Address', () => {
  it('comes in in any single case and goes out checksummed', () => {
    const upper = `0x${USDC.slice(2).toUpperCase()}`
    for (const text of [USDC, USDC.toLowerCase(), upper]) expect(Address.parse(text)).toBe(USDC)
    expect(z.encode(Address, getAddress(USDC.toLowerCase()))).toBe(USDC)
  })

  it('is refused with a wrong checksum, naming the reason', () => {
    const result = Address.safeParse('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'.replace('fCD6', 'fcD6'))
    expect(result.error?.issues[0]?.message).toContain('checksum')
  })

  it.each(['', '0x', '0x1234', USDC.slice(2), `${USDC}00`, `0X${USDC.slice(2)}`, ` ${USDC}`, 5, null])(
    'refuses %j',
    (value) => expect(takes(Address, value)).toBe(false),
  )
})

describe('SubscriptionId', () => {
  it('goes in and out in lower case', () => {
    const id: Hex = `0x${'aB'.repeat(32)}`
    expect(SubscriptionId.parse(id)).toBe(id.toLowerCase())
  })

  it.each(['0x', `0x${'a'.repeat(63)}`, `0x${'a'.repeat(65)}`, `0x${'g'.repeat(64)}`, 'a'.repeat(64)])(
    'refuses %j',
    (value) => expect(takes(SubscriptionId, value)).toBe(false),
  )
})

describe('ChainIdParam', () => {
  it('reads decimal and CAIP-2', () => {
    expect(ChainIdParam.parse('8453')).toBe(8453)
    expect(ChainIdParam.parse('eip155:8453')).toBe(8453)
  })

  it.each([
    '',
    '0',
    '08453',
    '-1',
    '8453.0',
    '1e3',
    '0x2105',
    'eip155:',
    'solana:8453',
    '9'.repeat(17),
    ' 8453',
  ])('refuses %j', (value) => expect(takes(ChainIdParam, value)).toBe(false))
})

describe('numbers', () => {
  it('carry every uint256 without loss', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(Uint256.parse(z.encode(Uint256, value))).toBe(value)
        expect(HexQuantity.parse(z.encode(HexQuantity, value))).toBe(value)
      }),
    )
  })

  it.each(['10', '10.5', '0', '0.000001'])('take the human amount %j', (value) =>
    expect(takes(HumanAmount, value)).toBe(true),
  )

  it.each([
    '',
    '-1',
    '+1',
    '1e18',
    '.5',
    '5.',
    '1,000',
    '0x10',
    '01',
    ' 1',
    'NaN',
    'Infinity',
    10,
    '9'.repeat(79),
  ])('refuse the human amount %j', (value) => expect(takes(HumanAmount, value)).toBe(false))
})

describe('text for the chain', () => {
  it('is measured in bytes of UTF-8', () => {
    expect(takes(ChainText(255), 'a'.repeat(255))).toBe(true)
    expect(takes(ChainText(255), 'é'.repeat(128))).toBe(false)
  })

  it.each(['a\nb', 'a\u0000b', 'a\u202eb', 'a\u2066b', 'a\u061cb', '\ud800', '\ufeffa', 'a\ufeff'])(
    'is refused with control or bidirectional characters: %j',
    (value) => expect(takes(ChainText(255), value)).toBe(false),
  )

  it('keeps the joiners that emoji and scripts need', () => {
    expect(takes(ChainText(255), '👨‍👩‍👧 a week')).toBe(true)
  })

  it('links to https or to nothing', () => {
    for (const url of ['', 'https://coffee.example/a?b=c']) expect(takes(ChainUrl, url)).toBe(true)
    for (const url of [
      'http://coffee.example',
      'javascript:alert(1)',
      'https://',
      'coffee.example',
      'https://a b',
    ]) {
      expect(takes(ChainUrl, url)).toBe(false)
    }
    expect(takes(ChainUrl, `https://a.example/${'a'.repeat(2048)}`)).toBe(false)
  })
})

describe.each([
  ['parseUrl', parseUrl],
  ['the client’s parseUrl', ofClient],
])('%s', (_, parse) => {
  it('goes on to know a URL in the letters of its language, however often it was asked', () => {
    // URL.canParse denies it after some thousand calls on Node 20.
    const denied = Array.from({ length: 50_000 }, () => parse('https://kaffeehäuschen.example/')).filter(
      (url) => url?.host !== 'xn--kaffeehuschen-hfb.example',
    )
    expect(denied).toEqual([])
  })

  it.each(['', '/plans', 'coffee.example', 'https://', 'https://a b.example'])(
    'knows no URL in "%s"',
    (text) => {
      expect(parse(text)).toBeUndefined()
    },
  )
})
