import { encodeAbiParameters, type Hex, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { tokenText } from './lensRows.ts'

/** What a token with this symbol returns, as it is in an answer of the lens. */
function returned(text: string): Hex {
  const answer = encodeAbiParameters([{ type: 'string' }], [text])
  return `0x${answer.slice(2, 2 + 512)}`
}

describe('a token’s text', () => {
  it.each([
    ['a string', returned('USD Coin'), 'USD Coin'],
    ['32 bytes', stringToHex('MKR', { size: 32 }), 'MKR'],
    ['32 bytes without a zero', stringToHex('x'.repeat(32)), 'x'.repeat(32)],
    ['other scripts', returned('柴犬 🐕'), '柴犬 🐕'],
    ['characters that reorder or break text', returned('U\u202eSDC\u0000\n'), 'USDC'],
    ['more than anyone reads', returned('y'.repeat(150)), `${'y'.repeat(99)}…`],
  ])('is read from %s', (_, answer, text) => {
    expect(tokenText(answer)).toBe(text)
  })

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['an empty string', returned('')],
    ['zeros', `0x${'00'.repeat(32)}`],
    ['bytes that are no UTF-8', `0x${'ff'.repeat(32)}`],
    ['a string that was cut off', returned('z'.repeat(193))],
    ['a length beyond its end', `0x${'00'.repeat(31)}20${'00'.repeat(30)}ffff${'61'.repeat(32)}`],
    ['a huge offset', `0x${'ff'.repeat(64)}`],
    ['half a word', '0x6162'],
  ])('is null where it does not read as text: %s', (_, answer) => {
    expect(tokenText(answer)).toBeNull()
  })
})
