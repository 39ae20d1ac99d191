import { describe, expect, it } from 'vitest'
import type { OperationRow } from './OperationRow.ts'
import { toRequest } from './toRequest.ts'

const list: OperationRow = { method: 'GET', path: '/things/:id/rows', onChain: true, answer: {} }
const make: OperationRow = { method: 'POST', path: '/prepare/:kind', onChain: true, answer: {} }
const remove: OperationRow = { method: 'DELETE', path: '/keys/:id', answer: {} }

describe('an input', () => {
  it('of a GET goes into path and query', () => {
    const input = { id: '0x1', first: 5, cancelled: false, token: undefined, minBlock: 7 }
    expect(toRequest('list', list, input)).toEqual({
      method: 'GET',
      target: '/things/0x1/rows?first=5&cancelled=false&minBlock=7',
      body: undefined,
    })
  })

  it('of a POST goes into path and body, but for the chain', () => {
    const input = {
      kind: 'a',
      chainId: 8453,
      amountRaw: 2n ** 200n,
      at: new Date(0),
      details: { url: undefined },
    }
    const { target, body = '' } = toRequest('make', make, input)
    expect(target).toBe('/prepare/a?chainId=8453')
    expect(JSON.parse(body)).toEqual({
      amountRaw: (2n ** 200n).toString(),
      at: '1970-01-01T00:00:00.000Z',
      details: {},
    })
  })

  it('of a POST without fields is an empty object', () => {
    expect(toRequest('make', make, { kind: 'a' }).body).toBe('{}')
  })
})

describe('the chain', () => {
  it('is the input’s, then the client’s, then the service’s', () => {
    expect(toRequest('list', list, { id: '1', chainId: 5 }, 6).target).toBe('/things/1/rows?chainId=5')
    expect(toRequest('list', list, { id: '1' }, 6).target).toBe('/things/1/rows?chainId=6')
    expect(toRequest('list', list, { id: '1' }).target).toBe('/things/1/rows')
  })

  it('is not said to what is about no chain', () => {
    expect(toRequest('remove', remove, { id: '1' }, 6).target).toBe('/keys/1')
  })
})

describe('a path', () => {
  it('cannot be left by what stands in it', () => {
    expect(toRequest('remove', remove, { id: '../a?b#c%2f' }).target).toBe('/keys/..%2Fa%3Fb%23c%252f')
  })

  it.each(['', '.', '..', undefined, null])('cannot be made of %j', (id) => {
    expect(() => toRequest('remove', remove, { id })).toThrow(new TypeError('remove needs `id`'))
  })
})
