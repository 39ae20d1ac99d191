import type { SubscriptionTerms } from '@remit/protocol/subscription'
import { LRUCache } from 'lru-cache'
import { type Address, getAddress, type Hex } from 'viem'
import type { LastingToken, TokenFacts } from '../ports/chainReads.ts'

/** The terms of a subscription that never change. Whether it is cancelled is read at each block. */
type LastingTerms = Omit<SubscriptionTerms, 'cancelled'>

/** Facts of one chain that hold from the block on at which they were read. They are in memory. */
export interface Facts {
  /** `undefined` if it was not read yet; `ChainReads.token` reads it. */
  token(address: Address): LastingToken | undefined
  /** `undefined` if it was not read yet; `ChainReads.subscription` reads it. */
  terms(id: Hex): LastingTerms | undefined
}

/** How many tokens and subscriptions are kept, of some hundred bytes each: a few megabytes together. */
const MOST_TOKENS = 2_000
const MOST_SUBSCRIPTIONS = 20_000

/** Options of a cache that grows to so many entries. With `max` it would take all its memory at the start. */
const growingTo = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })

/** Keeps what reads have seen. A reorg empties it, because what a lost block created may not exist. */
export class FactStore implements Facts {
  readonly #tokens = new LRUCache<Address, LastingToken>(growingTo(MOST_TOKENS))
  readonly #terms = new LRUCache<Hex, LastingTerms>(growingTo(MOST_SUBSCRIPTIONS))

  token(address: Address): LastingToken | undefined {
    return this.#tokens.get(getAddress(address))
  }

  terms(id: Hex): LastingTerms | undefined {
    return this.#terms.get(id)
  }

  keepToken({ address, symbol, name, decimals, ownDecimals }: TokenFacts): void {
    this.#tokens.set(address, { address, symbol, name, decimals, ownDecimals })
  }

  keepTerms({ cancelled: _, ...lasting }: SubscriptionTerms): void {
    this.#terms.set(lasting.id, lasting)
  }

  clear(): void {
    this.#tokens.clear()
    this.#terms.clear()
  }
}
