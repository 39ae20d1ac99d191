import { GAS_WORDS, LIMIT_WORDS } from '@remit/testing/support/nodes/limitWords'
import { RANGE_WORDS } from '@remit/testing/support/nodes/nodeFaults'
import { describe, expect, it } from 'vitest'
import { gasLimitIn, limitIn } from './limitIn.ts'
import { isBeyondHead, isRangeRefusal, lacksPast, resultsGranted, suggestedTo } from './logsRefusal.ts'

describe('a refusal of logs', () => {
  it.each(RANGE_WORDS.slice(0, -1))('by $provider is read as one of the range', ({ refusal }) => {
    expect(isRangeRefusal(refusal({ from: 100, to: 50_000 }))).toBe(true)
  })

  it('that names a range or a limit suggests a last block', () => {
    const suggestions = RANGE_WORDS.map(({ provider, refusal }) => {
      return `${provider}: ${suggestedTo(refusal({ from: 100, to: 50_000 }), 100, 50_000)}`
    })
    expect(suggestions).toMatchInlineSnapshot(`
      [
        "Alchemy: 106",
        "Infura: 108",
        "QuickNode: 105",
        "Ankr: 3100",
        "Cloudflare: 107",
        "Coinbase: 109",
        "publicnode: 110",
        "Base: undefined",
        "Optimism: undefined",
        "geth: undefined",
        "dRPC: undefined",
        "a node that waits for a budget: undefined",
        "a node with an unknown error text: undefined",
      ]
    `)
  })

  it.each([
    'rate limit exceeded',
    'Too Many Requests',
    'Your app has exceeded its compute units per second capacity',
    'daily request count exceeded, request rate limited',
    'project ID request quota exceeded',
  ])('for asking too often is none: %s', (message) => {
    expect(isRangeRefusal({ code: -32005, message })).toBe(false)
  })

  it.each([
    'block range extends beyond current head block',
    'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
    'requested to block 7 after last accepted block 5',
  ])('because the node is behind is told apart: %s', (message) => {
    expect(isBeyondHead({ code: -32000, message })).toBe(true)
  })

  it.each([
    'requested too many blocks from 1 to 9, maximum is set to 0',
    'Max range: 0',
    'exceed max block range: 0',
    'please limit the query to at most , blocks',
    'Try with this block range [0x9, 0x1].',
    'this block range should work: [0xffffffffffffffff, 0x0]',
  ])('that makes no sense hangs nobody and suggests nothing: %s', (message) => {
    expect(suggestedTo({ code: -32000, message }, 1, 9)).toBeUndefined()
    expect(isRangeRefusal({ code: -32000, message })).toBe(true)
  })

  it('is never read for more than a range of its own', () => {
    const message = 'Try with this block range [0x1, 0xffffffff].'
    expect(suggestedTo({ code: -32005, message }, 100, 200)).toBeUndefined()
  })
})

describe('a refusal of logs names', () => {
  it.each([
    ['query returned more than 10000 results. Try with this block range [0x1, 0x9].', 10_000],
    ['query exceeds max results 20000, retry with the range 1-9', undefined],
    [
      'Log response size exceeded. You can request any block range with a cap of 10K logs in the response',
      undefined,
    ],
    ['exceeds limit of 20,000 logs', 20_000],
    ['exceed maximum block range: 5000', undefined],
  ])('how many logs the node gives, where it says so: %s', (message, granted) => {
    expect(resultsGranted({ code: -32000, message })).toBe(granted)
  })

  it.each([
    { code: 4444, message: 'Pruned history unavailable' },
    { code: -32000, message: 'pruned history unavailable' },
    { code: -32000, message: 'history has been pruned for this block' },
    { code: -32701, message: 'Archive requests require a personal token' },
  ])('that the past is not there: $message', (refusal) => {
    expect(lacksPast(refusal)).toBe(true)
  })
})

describe('a refusal', () => {
  it.each(LIMIT_WORDS)('by $node is understood', ({ refusal, means }) => {
    expect(limitIn(refusal)).toEqual(means)
  })

  it.each(GAS_WORDS)('because of gas, by $node, is understood', ({ refusal, grants }) => {
    expect(gasLimitIn(refusal)).toBe(grants)
  })

  it('that asks for a wait until a date, or for days, is heard as far as ten minutes', () => {
    const date = new Date(Date.now() + 20_000).toUTCString()
    const until = limitIn({ status: 429, retryAfter: date })
    expect(until).toMatchObject({ kind: 'rate', waitMs: expect.closeTo(20_000, -4) })
    expect(limitIn({ status: 429, retryAfter: '86400' })).toEqual({ kind: 'rate', waitMs: 600_000 })
    expect(limitIn({ status: 429, retryAfter: 'soon' })).toEqual({ kind: 'rate' })
  })
})
