import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainJson, plainText } from './plainText.ts'

/** Whatever a terminal acts on: C0, DEL and C1, separators, bidirectional controls, lone surrogates. */
const ACTED_ON = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const hostile = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom('\u001b[2J', '\u009b1m', '\r\n', '\u2028', '\u202e', '\ud800', '\t', '\u0007'),
    ),
  )
  .map((parts) => parts.join(''))

it('leaves nothing in a text that a terminal acts on, and makes one line of it', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plainText(text)).not.toMatch(ACTED_ON)
    }),
  )
})

it('keeps words, emoji and scripts as they are', () => {
  for (const text of ['A bag of coffee', '👨‍👩‍👧 a week', 'קפה', 'コーヒー', '𝒳'])
    expect(plainText(text)).toBe(text)
})

it('keeps what a JSON document means, and leaves nothing in it that a terminal acts on', () => {
  const documents = fc.jsonValue({ stringUnit: 'binary' })
  fc.assert(
    fc.property(documents, hostile, (value, text) => {
      const document = JSON.stringify({ value, text }, undefined, 2)
      const plain = plainJson(document)
      expect(JSON.parse(plain)).toEqual(JSON.parse(document))
      expect(plain).not.toMatch(ACTED_ON)
    }),
  )
})
