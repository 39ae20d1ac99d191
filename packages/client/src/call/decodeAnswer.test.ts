import { describe, expect, it } from 'vitest'
import { decodeAnswer } from './decodeAnswer.ts'
import type { WireShape } from './WireShape.ts'

const SHAPES: Readonly<Record<string, WireShape>> = {
  Token: { address: 'address', symbol: ['nullable', 'string'] },
}
const ADDRESS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const decode = (value: unknown, shape: WireShape) => decodeAnswer(value, shape, SHAPES)

describe('an answer as declared', () => {
  it('comes with bigints and Dates where the wire has texts', () => {
    const shape: WireShape = {
      amountRaw: 'decimal',
      loss: 'decimal',
      value: 'hexQuantity',
      at: 'time',
      tokens: ['list', ['named', 'Token']],
      args: ['record', 'scalar'],
      status: ['oneOf', 0, 1],
      'note?': 'string',
    }
    const wire = {
      amountRaw: (2n ** 256n - 1n).toString(),
      loss: '-5',
      value: '0xff',
      at: '2026-03-06T00:00:00Z',
      tokens: [{ address: ADDRESS, symbol: null }],
      args: { id: '0x1', count: 2, last: true },
      status: 1,
    }
    expect(decode(wire, shape)).toEqual({
      ...wire,
      amountRaw: 2n ** 256n - 1n,
      loss: -5n,
      value: 255n,
      at: new Date(Date.UTC(2026, 2, 6)),
    })
  })

  it('keeps what a newer service says beside it', () => {
    const wire = { symbol: 'USDC', address: ADDRESS, logo: { url: 'x' } }
    expect(decode(wire, ['named', 'Token'])).toEqual(wire)
  })

  it('is told apart by the field that tells it', () => {
    const shape: WireShape = [
      'variants',
      'skipped',
      { day: 'number' },
      {
        true: { skipped: ['oneOf', true], why: 'string' },
        false: { skipped: ['oneOf', false], raw: 'decimal' },
      },
    ]
    expect(decode({ day: 1, skipped: false, raw: '7' }, shape)).toEqual({ day: 1, skipped: false, raw: 7n })
    expect(decode({ day: 1, skipped: true, why: 'no such day' }, shape)).toEqual({
      day: 1,
      skipped: true,
      why: 'no such day',
    })
    expect(() => decode({ skipped: false, raw: '7' }, shape)).toThrow('`day` is not a number')
    for (const skipped of ['perhaps', 'constructor']) {
      expect(() => decode({ day: 1, skipped }, shape)).toThrow('`skipped` is not one of true, false')
    }
  })

  it('of a kind that only a newer service has is read as far as all kinds are alike', () => {
    const shape: WireShape = [
      'variants',
      'type',
      { type: 'string', raw: 'decimal' },
      { paid: { by: 'address' }, lost: {} },
    ]
    expect(decode({ type: 'found', raw: '7', by: 1n }, shape)).toEqual({ type: 'found', raw: 7n, by: 1n })
    expect(() => decode({ type: 'paid', raw: '7' }, shape)).toThrow('`by` is not an address')
    expect(() => decode({ type: 'constructor', raw: 7 }, shape)).toThrow('`raw` is not a whole number')
    expect(() => decode({ type: 5, raw: '7' }, shape)).toThrow('`type` is not a text')
  })

  it('cannot change what objects are made of', () => {
    const wire: unknown = JSON.parse('{"__proto__":{"polluted":true},"rows":{"__proto__":1}}')
    const decoded = decode(wire, { rows: ['record', 'number'] })
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
    expect(decoded).not.toHaveProperty('polluted')
  })
})

describe('an answer that is not what was declared', () => {
  it.each<[WireShape, unknown]>([
    ['string', 5],
    ['number', '5'],
    ['number', 2 ** 53],
    ['number', null],
    ['boolean', 'true'],
    ['scalar', {}],
    ['json', undefined],
    ['address', '0x12'],
    ['hex', '0x1'],
    ['decimal', 5],
    ['decimal', '05'],
    ['decimal', '1e3'],
    ['decimal', ''],
    ['decimal', '9'.repeat(316)],
    ['hexQuantity', '255'],
    ['hexQuantity', '0x'],
    ['time', 1_772_712_000],
    ['time', '2026-03-06'],
    ['time', '2026-13-06T00:00:00Z'],
    [['oneOf', 0, 1], 2],
    [['oneOf', true], 'true'],
    [['list', 'number'], { 0: 1 }],
    [['record', 'number'], [1]],
    [['nullable', 'number'], undefined],
    [{}, null],
    [{}, []],
  ])('%j is not %j', (shape, value) => {
    expect(() => decode({ field: value }, { field: shape })).toThrow(/^`field` is not /)
  })

  it('is refused by the path of what is wrong, without its value', () => {
    const shape: WireShape = { rows: ['list', { token: ['named', 'Token'], raw: 'decimal' }] }
    const good = { token: { address: ADDRESS, symbol: null }, raw: '1' }
    expect(() => decode({ rows: [good, { ...good, raw: 'secret' }] }, shape)).toThrow(
      '`rows[1].raw` is not a whole number as a decimal text',
    )
    expect(() => decode({ rows: [{ raw: '1' }] }, shape)).toThrow('`rows[0].token` is not an object')
    expect(() => decode('text', shape)).toThrow('the answer is not an object')
  })
})
