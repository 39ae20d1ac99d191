import { SubscriptionNotFoundError, ViewFailedError } from '@remit/engine/errors/chain'
import { BlockGoneError, type ChainsPort, type ChainView } from '@remit/engine/ports/chains'
import type { HistoryQueries, IndexedSubscription } from '@remit/engine/ports/history'
import type { Address, Hex } from 'viem'
import type { ProjectionReader } from '../projection.ts'

/** Six samples an hour find a fault of the index within a day, at the cost of a request each. */
const EVERY_MS = 600_000
/** Each audit samples this many of the newest subscriptions, and this many at a random depth. */
const SAMPLE = 10
/** The greatest depth of the random sample: `skip` of a search goes no deeper. */
const DEEPEST = 5_000
/** Longer lists are not compared: a node could not answer the contract's view of them. */
const MOST_ROWS = 500

interface Sampled {
  readonly row: IndexedSubscription
  readonly subscribers: readonly Address[]
  /** All subscriptions of its provider. */
  readonly siblings: readonly Hex[]
}

/**
 * Makes the audit of subscriptions: every ten minutes, a sample of them is compared with the contract's views at the
 * index's block: their terms, their subscribers, and all subscriptions of their providers.
 */
export function auditSubscriptions(options: {
  chainId: number
  reader: Pick<ProjectionReader, 'snapshot'>
  chains: Pick<ChainsPort, 'withView'>
  random?: () => number
  now?: () => number
}) {
  const { chainId, reader, chains, random = Math.random, now = () => performance.now() } = options
  let dueMs = now()
  return async (signal: AbortSignal) => {
    if (now() < dueMs) return undefined
    dueMs = now() + EVERY_MS
    // The depth is spread over magnitudes, so that a small index is sampled throughout too.
    const skip = Math.floor(DEEPEST ** random())
    const found = await reader.snapshot(chainId, (queries) => sample(queries, skip))
    if (found === undefined) return undefined
    const { block } = found.indexState
    try {
      const differences = await chains.withView(chainId, { block, signal }, (chain) =>
        Promise.all(found.rows.map((sampled) => difference(sampled, chain))),
      )
      const first = differences.find((sentence) => sentence !== undefined)
      if (first === undefined) return null
      return `The index of chain ${chainId} differs from the contract at block ${block.number}: ${first}. Build it anew, from another node.`
    } catch (error) {
      // The block was reorganised away, or is too old for the nodes. The next audit will do.
      if (error instanceof BlockGoneError) return undefined
      throw error
    }
  }
}

async function sample(queries: HistoryQueries, skip: number): Promise<readonly Sampled[]> {
  const filters = { provider: undefined, token: undefined, frequency: undefined }
  const sampled = new Map<Hex, Sampled>()
  for (const cancelled of [false, true]) {
    for (const from of [0, skip]) {
      const page = { first: SAMPLE, skip: from, after: undefined, untilBlock: undefined }
      const { rows } = await queries.search({ ...filters, cancelled }, page, false)
      for (const row of rows) {
        if (sampled.has(row.id)) continue
        const first = MOST_ROWS + 1
        const subscribers = await queries.subscribers(row.id, { first, skip: 0, after: undefined })
        sampled.set(row.id, {
          row,
          subscribers,
          siblings: await queries.created(row.provider, { first, skip: 0 }),
        })
      }
    }
  }
  return [...sampled.values()]
}

/** A phrase that names the first difference; `undefined` if there is none. */
async function difference({ row, subscribers, siblings }: Sampled, chain: ChainView) {
  const name = `subscription ${row.id}`
  const state = await chain.read.subscription(row.id).catch((error: unknown) => {
    if (error instanceof SubscriptionNotFoundError) return undefined
    throw error
  })
  if (state === undefined) return `there is no ${name}`
  if (termsOf(state.terms) !== termsOf(row)) return `the terms of ${name} are others`
  if (siblings.length <= MOST_ROWS) {
    const created = await chain.read.accountSubscriptions(row.provider, false)
    const ids = created.rows.map(({ terms }) => terms.id)
    if (!areEqual(ids, siblings)) return `the provider of ${name} has created others`
  }
  if (subscribers.length <= MOST_ROWS) {
    const known = await subscribersOf(row.id, chain)
    if (known !== undefined && !areEqual(known, subscribers)) return `the subscribers of ${name} are others`
  }
  return undefined
}

/** `undefined` while the contract's view reverts with a panic. */
async function subscribersOf(id: Hex, chain: ChainView): Promise<readonly Address[] | undefined> {
  try {
    const { subscribers } = await chain.read.subscribers(id)
    return subscribers.map(({ subscriber }) => subscriber)
  } catch (error) {
    if (error instanceof ViewFailedError) return undefined
    throw error
  }
}

function termsOf(terms: Omit<IndexedSubscription, 'createdAt' | 'details'>): string {
  const { id, provider, token, amount, frequency, dueDay, cancelled } = terms
  return [id, provider, token, amount, frequency, dueDay, cancelled].join(' ').toLowerCase()
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  const text = (list: readonly string[]) =>
    list
      .map((element) => element.toLowerCase())
      .toSorted()
      .join(' ')
  return text(some) === text(others)
}
