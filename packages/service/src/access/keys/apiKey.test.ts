import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flawOf, hashOf, mintKey, prefixOf } from './apiKey.ts'

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('a key', () => {
  it('is svc_, 43 characters of 256 random bits and 6 of checksum', () => {
    const keys = Array.from({ length: 100 }, mintKey)
    for (const key of keys) {
      expect(key).toMatch(/^svc_[A-Za-z0-9_-]{49}$/)
      expect(flawOf(key)).toBeUndefined()
    }
    expect(new Set(keys).size).toBe(100)
  })

  it('shows its owner 8 of its characters and no more', () => {
    const key = mintKey()
    expect(prefixOf(key)).toBe(key.slice(0, 12))
  })

  it('is stored as plain SHA-256 of the whole key', () => {
    expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('a mistyped key', () => {
  it('is recognised without a look-up, whichever character is wrong', () => {
    const mistyped = fc.tuple(fc.integer({ min: 4, max: 52 }), fc.constantFrom(...BASE64URL))
    fc.assert(
      fc.property(mistyped, ([place, character]) => {
        const key = mintKey()
        fc.pre(key[place] !== character)
        expect(flawOf(key.slice(0, place) + character + key.slice(place + 1))).toBe('mistyped')
      }),
      { numRuns: 500 },
    )
  })

  it('is recognised where two neighbours are swapped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 51 }), (place) => {
        const key = mintKey()
        const [left = '', right = ''] = key.slice(place, place + 2)
        fc.pre(left !== right)
        expect(flawOf(key.slice(0, place) + right + left + key.slice(place + 2))).toBe('mistyped')
      }),
      { numRuns: 500 },
    )
  })
})

describe('what is no key', () => {
  it('is malformed, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(flawOf(text)).toBe('malformed')
      }),
    )
  })

  it.each([
    ['cut short', (key: string) => key.slice(0, -1)],
    ['too long', (key: string) => `${key}A`],
    ['of another prefix', (key: string) => `svx_${key.slice(4)}`],
    ['in capitals', (key: string) => key.replace('svc_', 'SVC_')],
    ['with a line break behind it', (key: string) => `${key.slice(0, -1)}\n`],
  ])('is malformed where it is a key %s', (_, spoil) => {
    expect(flawOf(spoil(mintKey()))).toBe('malformed')
  })
})
