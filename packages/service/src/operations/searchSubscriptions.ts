import { ACCESS } from '@remit/engine/declare/access'
import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError } from '@remit/engine/errors/chain'
import { type IndexedSubscription, SEARCH_SORTS } from '@remit/engine/ports/history'
import { isoTime } from '@remit/engine/presentation/day'
import { domainText, ProviderIdentity, toProviderIdentity } from '@remit/engine/presentation/providerIdentity'
import { Subscription, toSubscription } from '@remit/engine/presentation/subscription'
import { LINE, lineOf, pageText, quoted, subscriptionText } from '@remit/engine/presentation/subscriptionText'
import { getToken, tokenWarnings } from '@remit/engine/presentation/token'
import { Address } from '@remit/engine/schema/address'
import { FrequencyNumber } from '@remit/engine/schema/frequency'
import { IsoTime, Timestamp } from '@remit/engine/schema/numbers'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '@remit/engine/schema/page'
import * as z from 'zod'
import { asksForTokens, refuseContradictions, searchFields, toSearchQuery } from './searchInput.ts'

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
    const page = await history.search(query, toPageQuery(input, SEARCH_PAGE), true)
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
