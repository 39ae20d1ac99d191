import { ValidationError } from '@remit/engine/errors/input'
import type { LastingToken } from '@remit/engine/ports/chainReads'
import { type AmountRange, SEARCH_SORTS, type SearchQuery } from '@remit/engine/ports/history'
import { Address } from '@remit/engine/schema/address'
import { HumanAmount } from '@remit/engine/schema/amount'
import { PlainText } from '@remit/engine/schema/text'
import { isMore, protocolRange } from '@remit/protocol/amounts'
import { FREQUENCIES, type Frequency, frequencyLabel } from '@remit/protocol/subscription'
import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import { searchWords } from '../history/projection/search/writeTexts.ts'

const FREQUENCY_SENTENCE =
  'must be 0 (weekly), 1 (monthly), 2 (quarterly) or 3 (yearly), as a number or in words'

/** How often, by the contract's number or in a word. A number may come as text. */
const NamedFrequency = z.codec(
  z.literal(
    [
      ...([0, 1, 2, 3] as const),
      ...(['weekly', 'monthly', 'quarterly', 'yearly'] as const),
      ...(['0', '1', '2', '3'] as const),
    ],
    FREQUENCY_SENTENCE,
  ),
  z.custom<Frequency>(),
  {
    decode: (given) => {
      const word = String(given).toUpperCase()
      const isIt = (one: Frequency) => word === String(one) || word === frequencyLabel(one)
      return FREQUENCIES.find(isIt) ?? FREQUENCIES[0]
    },
    encode: (frequency) => frequency,
  },
)

/** A token by its address, or by the symbol of an approved one. */
type NamedToken = { readonly address: ChecksummedAddress } | { readonly symbol: string }

const NamedToken = z.codec(PlainText.min(1).max(100), z.custom<NamedToken>(), {
  decode: (text, context): NamedToken => {
    if (!/^0x/i.test(text)) return { symbol: text.trim() }
    const address = Address.safeParse(text)
    if (address.success) return { address: address.data }
    for (const { message } of address.error.issues) {
      context.issues.push({ code: 'custom', message, input: text })
    }
    return z.NEVER
  },
  encode: (token) => ('address' in token ? token.address : token.symbol),
})

/** Longer than any name. Each word is a condition of the query. */
const MOST_CHARACTERS = 100
const MOST_WORDS = 20

export const searchFields = {
  q: PlainText.max(MOST_CHARACTERS)
    .optional()
    .describe(
      'Words to find in descriptions and providers’ names: all of them, in any case, without accents. From three ' +
        'letters on, the beginning of a word will do. Nothing in it is syntax.',
    ),
  provider: Address.optional().describe('Only those of this provider.'),
  token: NamedToken.optional().describe(
    'Only those in this token: its address, or an approved token’s symbol such as "USDC".',
  ),
  frequency: NamedFrequency.optional().describe(
    '0 weekly, 1 monthly, 2 quarterly, 3 yearly; or the word, such as "monthly".',
  ),
  minAmount: HumanAmount.optional().describe(
    'Only those that cost at least so much a period, in units of their own token, such as "2.5".',
  ),
  maxAmount: HumanAmount.optional().describe('Only those that cost at most so much a period.'),
  cancelled: z.boolean().optional().describe('true: only cancelled ones; false (default): only live ones.'),
  sort: z
    .enum(SEARCH_SORTS)
    .optional()
    .describe(
      'Default: relevance with q, newest without. Amounts of different tokens are compared as numbers. most_subscribers: ' +
        'as of the first page’s block on all pages.',
    ),
}

const SearchInput = z.object(searchFields)
export type SearchInput = z.output<typeof SearchInput>

/** Refuses what no search can mean. */
export function refuseContradictions(
  { q, minAmount, maxAmount, cancelled, sort }: SearchInput,
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (q !== undefined) {
    const words = searchWords(q).length
    if (words === 0) refuse('q', 'must have a letter or a digit')
    if (words > MOST_WORDS) refuse('q', `must have at most ${MOST_WORDS} words`)
  }
  if (sort === 'relevance' && q === undefined) refuse('sort', 'can be relevance only with q')
  if (sort === 'most_subscribers' && cancelled === true) {
    refuse('sort', 'cannot be most_subscribers with cancelled: nobody pays for a cancelled subscription')
  }
  // A field that is refused already is here as it was sent.
  const bounds = z.tuple([HumanAmount, HumanAmount]).safeParse([minAmount, maxAmount])
  if (bounds.success && isMore(...bounds.data)) {
    refuse('minAmount', 'must not be more than maxAmount')
  }
}

/** Whether a search needs to know the approved tokens. */
export function asksForTokens({ token, minAmount, maxAmount }: SearchInput): boolean {
  return minAmount !== undefined || maxAmount !== undefined || (token !== undefined && 'symbol' in token)
}

/**
 * What the index is asked.
 * @param tokens the approved ones, where the input needs them
 * @throws ValidationError on `token` for a symbol that no token has, or more than one
 */
export function toSearchQuery(input: SearchInput, tokens: readonly LastingToken[]): SearchQuery {
  const { q, provider, frequency, cancelled = false, sort } = input
  const token = input.token && addressOf(input.token, tokens)
  return { text: q, provider, token, frequency, cancelled, sort, amounts: amountsOf(input, token, tokens) }
}

function addressOf(token: NamedToken, tokens: readonly LastingToken[]): ChecksummedAddress {
  if ('address' in token) return token.address
  const isIt = ({ symbol }: LastingToken) => symbol?.toLowerCase() === token.symbol.toLowerCase()
  const [found, ...others] = tokens.filter(isIt)
  if (found === undefined) {
    const known = [...new Set(tokens.flatMap(({ symbol }) => symbol ?? []))]
    const names = known.length === 0 ? '' : `; those that have one are ${known.sort().join(', ')}`
    throw ValidationError.of('token', `is no approved token’s symbol${names}`)
  }
  if (others.length > 0) {
    const addresses = [found, ...others].map(({ address }) => address).join(' and ')
    throw ValidationError.of('token', `is the symbol of ${addresses}: give the address of one`)
  }
  return found.address
}

/** The bounds in each token's own unit. A token that is not approved has no subscriptions. */
function amountsOf(
  { minAmount, maxAmount }: SearchInput,
  only: ChecksummedAddress | undefined,
  tokens: readonly LastingToken[],
): readonly AmountRange[] | undefined {
  if (minAmount === undefined && maxAmount === undefined) return undefined
  const asked = only === undefined ? tokens : tokens.filter(({ address }) => address === only)
  return [...new Set(asked.map(({ decimals }) => decimals))].map((decimals) => ({
    ...protocolRange({ least: minAmount, most: maxAmount }, decimals),
    tokens: asked.flatMap((token) => (token.decimals === decimals ? [token.address] : [])),
  }))
}
