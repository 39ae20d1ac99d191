import type { SubscriptionTerms } from '@remit/protocol/subscription'
import { expect, it } from 'vitest'
import type { TokenFacts } from '../ports/chainReads.ts'
import { BlockCache } from './blockCache.ts'
import { FactStore } from './facts.ts'

const loader = (rows = 1) => {
  const state = { loads: 0 }
  const load = async () => {
    state.loads += 1
    return { value: { load: state.loads }, rows }
  }
  return { state, load }
}

it('loads once for all who ask at the same time or later', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const { state, load } = loader()
  const both = await Promise.all([cache.get('0x1', 'q', load), cache.get('0x1', 'q', load)])
  expect(both[0]).toBe(both[1])
  expect(await cache.get('0x1', 'q', load)).toBe(both[0])
  expect(state.loads).toBe(1)
})

it('loads anew for another block and for another question', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const { state, load } = loader()
  await cache.get('0x1', 'q', load)
  await cache.get('0x2', 'q', load)
  await cache.get('0x1', 'r', load)
  expect(state.loads).toBe(3)
})

it('forgets failures, and every waiting caller gets the error', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const failing = () => Promise.reject(new Error('no'))
  const both = await Promise.allSettled([cache.get('0x1', 'q', failing), cache.get('0x1', 'q', failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { load } = loader()
  await expect(cache.get('0x1', 'q', load)).resolves.toEqual({ load: 1 })
})

it('keeps no more answers and rows than it may', async () => {
  const cache = new BlockCache({ max: 2, maxRows: 100 })
  const { state, load } = loader()
  for (const question of ['a', 'b', 'c', 'a']) await cache.get('0x1', question, load)
  expect(state.loads).toBe(4)

  const huge = loader(1_000)
  await cache.get('0x1', 'huge', huge.load)
  await cache.get('0x1', 'huge', huge.load)
  expect(huge.state.loads).toBe(2)

  const many = new BlockCache({ max: 10, maxRows: 100 })
  const half = loader(60)
  for (const question of ['a', 'b', 'a']) await many.get('0x1', question, half.load)
  expect(half.state.loads).toBe(3)
})

const token: TokenFacts = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  ownDecimals: 6,
  paused: true,
  minimum: 1n,
}
const terms: SubscriptionTerms = {
  id: `0x${'ab'.repeat(32)}`,
  amount: 1n,
  provider: token.address,
  token: token.address,
  cancelled: true,
  frequency: 1,
  dueDay: 2,
}

it('keeps what never changes of a token and of a subscription, and nothing else', () => {
  const facts = new FactStore()
  facts.keepToken(token)
  facts.keepTerms(terms)
  const { paused: _, minimum: __, ...lastingToken } = token
  const { cancelled: ___, ...lastingTerms } = terms
  expect(facts.token('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')).toEqual(lastingToken)
  expect(facts.terms(terms.id)).toEqual(lastingTerms)
})

it('is empty after a reorg', () => {
  const facts = new FactStore()
  facts.keepToken(token)
  facts.keepTerms(terms)
  facts.clear()
  expect(facts.token(token.address)).toBeUndefined()
  expect(facts.terms(terms.id)).toBeUndefined()
})
