import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, hasUnsafeCharacters } from './text.ts'

describe('cleanText', () => {
  it('strips controls and bidirectional characters and keeps everything else', () => {
    expect(cleanText('a\u0000b\u001b[31mc\u007f\u0085')).toBe('ab[31mc')
    expect(cleanText('user\u202egpj.exe\u2066\u2069\u200e\u200f\u061c')).toBe('usergpj.exe')
    expect(cleanText('\ufeff\ufeffa\ufeffb')).toBe('ab')
    expect(cleanText('Grüße, 世界 👩‍👩‍👧 <b>')).toBe('Grüße, 世界 👩‍👩‍👧 <b>')
  })

  it('keeps words on separate lines apart', () => {
    expect(cleanText('one\r\n\ttwo\u2028three')).toBe('one two three')
  })

  it('leaves NUL out before anything else, as databases do that cannot hold it', () => {
    expect(cleanText('a\t\0\tb')).toBe('a b')
    expect(cleanText(`a${'\0'.repeat(100)}b`, 10)).toBe('ab')
    expect(cleanText(`\0\ufeff${'\u0001'.repeat(18)}ab`, 10)).toBe('ab')
  })

  it('caps the length at a whole character', () => {
    expect(cleanText('a'.repeat(10), 10)).toBe('a'.repeat(10))
    expect(cleanText('a'.repeat(11), 10)).toBe(`${'a'.repeat(9)}…`)
    expect(cleanText(`${'a'.repeat(8)}😀😀`, 10)).toBe(`${'a'.repeat(8)}…`)
  })

  it('answers text without unsafe characters and within the cap, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (text, cap) => {
          const clean = cleanText(text, cap)
          expect(hasUnsafeCharacters(clean)).toBe(false)
          expect(clean.length).toBeLessThanOrEqual(cap)
        },
      ),
    )
  })
})
