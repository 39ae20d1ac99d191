import { ValidationError } from '@remit/engine/errors/input'
import { pageFields } from '@remit/engine/schema/page'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CursorPlace, decodeCursor, encodeCursor } from './Cursors.ts'

const LIST = '8453 history 0x01'
const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const place: fc.Arbitrary<CursorPlace> = fc.record({
  block: fc.nat({ max: 2 ** 48 - 1 }),
  log: fc.nat({ max: 2 ** 31 - 1 }),
  transaction: hash,
  blockHash: fc.option(hash, { nil: undefined }),
})

describe('a cursor', () => {
  it('gives back its place, and fits into `after`', () => {
    const { after } = pageFields({ default: 1, max: 1 })
    fc.assert(
      fc.property(place, (place) => {
        const text = encodeCursor(LIST, place)
        expect(after.parse(text)).toBe(text)
        expect(decodeCursor(LIST, text)).toEqual(place)
      }),
    )
  })

  it('never begins as a formula of a spreadsheet does, in whose CSV it would be changed', () => {
    const starts = Array.from({ length: 1_000 }, (_, block) => {
      const text = encodeCursor(LIST, {
        block,
        log: 0,
        transaction: '00112233445566aa',
        blockHash: undefined,
      })
      expect(decodeCursor(LIST, text).block).toBe(block)
      return text.slice(0, 1)
    })
    expect(starts).not.toContain('-')
  })

  it('is refused if a character was changed, and by another list', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.constantFrom('A', 'b', '7', '_'), (place, at, character) => {
        const text = encodeCursor(LIST, place)
        const index = at % text.length
        fc.pre(text[index] !== character)
        const changed = text.slice(0, index) + character + text.slice(index + 1)
        expect(() => decodeCursor(LIST, changed)).toThrow(ValidationError)
        expect(() => decodeCursor('84532 history 0x01', text)).toThrow(ValidationError)
      }),
    )
  })

  it('is not read from any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(() => decodeCursor(LIST, text)).toThrow('must be the nextCursor of an earlier page')
      }),
    )
  })
})
