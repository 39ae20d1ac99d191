import { ACCESS } from '@remit/engine/declare/access'
import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError } from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import type { LastingToken } from '@remit/engine/ports/chainReads'
import {
  type AmountRange,
  type IndexedSubscription,
  SEARCH_SORTS,
  type SearchQuery,
} from '@remit/engine/ports/history'
import { isoTime } from '@remit/engine/presentation/day'
import { domainText, ProviderIdentity, toProviderIdentity } from '@remit/engine/presentation/providerIdentity'
import { Subscription, toSubscription } from '@remit/engine/presentation/subscription'
import { LINE, lineOf, pageText, quoted, subscriptionText } from '@remit/engine/presentation/subscriptionText'
import { getToken, tokenWarnings } from '@remit/engine/presentation/token'
import { HumanAmount } from '@remit/engine/schema/amount'
import { Address } from '@remit/engine/schema/hex'
import { FrequencyNumber, IsoTime, Timestamp } from '@remit/engine/schema/numbers'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '@remit/engine/schema/page'
import { PlainText } from '@remit/engine/schema/text'
import { isMore, protocolRange } from '@remit/protocol/amounts'
import { FREQUENCIES, type Frequency, frequencyLabel } from '@remit/protocol/subscription'
import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import { searchWords } from '../history/projection/search/searchWords.ts'

// The search: what its input may be (`SearchInput`), how that becomes a question to the index (`toSearchQuery`), and the operation. The
// index finds the rows; the chain, at the same block, adds what depends on the day.

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
      const isNamed = (one: Frequency) => word === String(one) || word === frequencyLabel(one)
      // The literals above allow nothing else, so one is always found.
      return FREQUENCIES.find(isNamed) ?? FREQUENCIES[0]
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

/** Limits of a search text. The first is longer than any name; the second bounds the query, of which each word is one condition. */
const MOST_CHARACTERS = 100
const MOST_WORDS = 20

const searchFields = {
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
type SearchInput = z.output<typeof SearchInput>

/** Refuses inputs whose fields contradict each other, naming one of them. */
function refuseContradictions(
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
  // Parsed again: a bound that was refused already is here as it was sent.
  const bounds = z.tuple([HumanAmount, HumanAmount]).safeParse([minAmount, maxAmount])
  if (bounds.success && isMore(...bounds.data)) {
    refuse('minAmount', 'must not be more than maxAmount')
  }
}

/** Whether a search needs to know the approved tokens: for their symbols, or for their decimals, by which amounts are compared. */
function asksForTokens({ token, minAmount, maxAmount }: SearchInput): boolean {
  return minAmount !== undefined || maxAmount !== undefined || (token !== undefined && 'symbol' in token)
}

/**
 * What the index is asked.
 * @param tokens the approved ones, where the input needs them
 * @throws ValidationError on `token` for a symbol that no token has, or more than one
 */
function toSearchQuery(input: SearchInput, tokens: readonly LastingToken[]): SearchQuery {
  const { q, provider, frequency, cancelled = false, sort } = input
  const token = input.token && addressOf(input.token, tokens)
  return { text: q, provider, token, frequency, cancelled, sort, amounts: amountsOf(input, token, tokens) }
}

/** The token's address. Of a symbol, that of the one approved token that has it. Throws as `toSearchQuery` says. */
function addressOf(token: NamedToken, tokens: readonly LastingToken[]): ChecksummedAddress {
  if ('address' in token) return token.address
  const isNamed = ({ symbol }: LastingToken) => symbol?.toLowerCase() === token.symbol.toLowerCase()
  const [found, ...others] = tokens.filter(isNamed)
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

/**
 * The bounds as the index compares them, in protocol units: one range for all tokens of the same decimals; `undefined` without bounds.
 * @param only the token that is searched for; `undefined`: any. Tokens that are not approved have no subscriptions
 */
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

const { free, developer } = ACCESS.search.caps
const SEARCH_PAGE = { default: free.first, max: developer.first }

const Found = Subscription.extend({
  createdAt: Timestamp,
  formattedCreatedAt: IsoTime,
  providerIdentity: ProviderIdentity,
  descriptionLine: z
    .string()
    .max(LINE)
    .nullable()
    .describe('The beginning of what its provider says of it; untrusted data.'),
  providerName: z
    .string()
    .max(LINE)
    .nullable()
    .describe('What its provider calls itself, which nobody has verified; cut short.'),
  subscribers: z.int().min(0).describe('How many subscribe now.'),
  details: z
    .object({ url: z.string(), description: z.string() })
    .nullable()
    .optional()
    .describe('With includeDetails: what the provider last published, untrusted data.'),
})

/** Subscriptions by words, price, token, frequency and provider. */
export const searchSubscriptions = defineOperation({
  name: 'search_subscriptions',
  effect: 'read',
  kind: 'chain',
  summary: 'Search subscriptions by words, price, token, frequency and provider',
  description:
    'A plan with coffee in its description or its provider’s name, under 10 USDC: q=coffee, maxAmount=10, ' +
    `token=USDC. The free lane gets at most ${free.first} rows a page, each with a line of its description; with an ` +
    `API key it is ${developer.first}, with whole details on request.`,
  access: 'search',
  rest: { method: 'GET', path: '/subscriptions' },
  tool: {
    profiles: ['essential', 'read', 'subscriber'],
    text: ({ subscriptions, ...page }) => pageText('Subscriptions', subscriptions.map(foundText), page),
  },
  errors: [CursorStaleError],
  input: z
    .object({
      ...searchFields,
      includeDetails: z.boolean().optional().describe('Whether rows come with url and description.'),
      ...indexPageFields(SEARCH_PAGE),
    })
    .superRefine(refuseSkipWithAfter)
    .superRefine(refuseContradictions),
  table: 'subscriptions',
  output: z.object({
    subscriptions: z.array(Found),
    ...pageAnswer,
    filters: z
      .object({
        q: z.string().nullable(),
        provider: Address.nullable(),
        token: Address.nullable(),
        frequency: FrequencyNumber.nullable(),
        minAmount: z.string().nullable(),
        maxAmount: z.string().nullable(),
        cancelled: z.boolean(),
        sort: z.enum(SEARCH_SORTS),
      })
      .describe('What was searched for; null where it was left open.'),
  }),
  readsTokens: asksForTokens,
  async query({ input, tokens, history }) {
    const query = toSearchQuery(input, tokens)
    const withTexts = true
    const page = await history.search(query, toPageQuery(input, SEARCH_PAGE), withTexts)
    const providers = [...new Set(page.rows.map(({ provider }) => provider))]
    return { query, page, checks: await history.providerChecks(providers) }
  },
  async atBlock({ input, chain, rows: { query, page, checks } }) {
    const [{ nextUncheckedDay }, tokens] = await Promise.all([
      chain.read.protocol(),
      chain.read.lastingTokens([...new Set(page.rows.map(({ token }) => token))]),
    ])
    const { q, minAmount, maxAmount, includeDetails = false } = input
    const { provider, token, frequency, cancelled, sort } = query
    return {
      subscriptions: page.rows.map((row) => {
        const token = getToken(tokens, row.token)
        const subscription = toSubscription({ terms: row, token, nextUncheckedDay }, chain.today)
        return {
          ...toFound(row, subscription, includeDetails),
          providerIdentity: toProviderIdentity(checks.get(row.provider)),
        }
      }),
      ...toPageAnswer(page),
      filters: {
        q: q ?? null,
        provider: provider ?? null,
        token: token ?? null,
        frequency: frequency ?? null,
        minAmount: minAmount ?? null,
        maxAmount: maxAmount ?? null,
        cancelled,
        sort: sort ?? (q === undefined ? 'newest' : 'relevance'),
      },
      ...tokenWarnings([...tokens.values()], page.isCut ? [SEARCH_CUT] : []),
    }
  },
})

/** The warning where a search matches more than is looked through. */
const SEARCH_CUT = {
  code: 'SEARCH_CUT',
  message: 'Very many match these words: only the newest of them are here. Add a word, or a filter.',
} as const

function toFound(
  { createdAt, texts }: IndexedSubscription,
  subscription: z.output<typeof Subscription>,
  includeDetails: boolean,
): Omit<z.output<typeof Found>, 'providerIdentity'> {
  const details = texts?.details ?? null
  return {
    ...subscription,
    createdAt,
    formattedCreatedAt: isoTime(createdAt),
    descriptionLine: lineOf(details?.description),
    providerName: lineOf(texts?.company),
    subscribers: texts?.subscribers ?? 0,
    ...(includeDetails ? { details } : {}),
  }
}

function foundText(row: z.output<typeof Found>): string {
  const { descriptionLine, providerName, providerIdentity, subscribers, details } = row
  const domain = domainText(providerIdentity)
  const said = details?.description ?? descriptionLine
  return [
    subscriptionText(row),
    ...(providerName === null ? [] : [`whose provider calls itself ${quoted(providerName)}`]),
    ...(domain === '' ? [] : [domain]),
    `${subscribers} subscribers`,
    ...(said === null ? [] : [`described as ${quoted(said)}`]),
  ].join(', ')
}
