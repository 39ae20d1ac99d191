import { listApprovedTokens } from '@remit/engine/operations/protocol/approvedTokens'
import * as z from 'zod'
import type { Pipeline } from '../../calls/pipeline.ts'
import { searchSubscriptions } from '../../operations/searchSubscriptions.ts'
import type { SuggestionsPort } from '../../ports/suggestions.ts'

/** How long values are cached, because every typed letter asks for them. */
const KEPT_MS = 30_000
/** The most rows of one search. */
const MOST_SUBSCRIPTIONS = 25

const Subscriptions = z.object({ subscriptions: z.array(z.object({ id: z.string() })) })
const Tokens = z.object({ tokens: z.array(z.object({ address: z.string(), symbol: z.string().nullable() })) })

/** Suggests the newest subscriptions and the approved tokens of a chain. All callers share one read in KEPT_MS. */
export function createSuggestions(pipeline: Pipeline, now: () => number = Date.now): SuggestionsPort {
  const kept = new Map<string, { readonly until: number; readonly read: ReturnType<SuggestionsPort['of']> }>()

  const readers: Readonly<
    Record<Parameters<SuggestionsPort['of']>[0], (chainId: number) => ReturnType<SuggestionsPort['of']>>
  > = {
    async subscription(chainId) {
      const input = { first: MOST_SUBSCRIPTIONS }
      const { body } = await pipeline.callForItself(searchSubscriptions, { chainId, input })
      return Subscriptions.parse(body).subscriptions.map(({ id }) => ({ value: id, words: [] }))
    },
    async token(chainId) {
      const { body } = await pipeline.callForItself(listApprovedTokens, { chainId, input: {} })
      return Tokens.parse(body).tokens.map(({ address, symbol }) => ({
        value: address,
        words: symbol === null ? [] : [symbol],
      }))
    },
  }

  return {
    of(kind, chainId) {
      const key = `${kind} ${chainId}`
      const known = kept.get(key)
      if (known !== undefined && known.until > now()) return known.read
      const read = readers[kind](chainId)
      kept.set(key, { until: now() + KEPT_MS, read })
      // A failed read is not cached.
      read.catch(() => kept.delete(key))
      return read
    },
  }
}
