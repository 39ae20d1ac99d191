import { expect, it } from 'vitest'
import type { TokenFacts } from '../../core/ports/chainReads.ts'
import type { SubscriptionTerms } from '../../protocol/subscription.ts'
import { FactStore } from './facts.ts'

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
