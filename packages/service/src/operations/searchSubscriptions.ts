import { ACCESS } from '@remit/engine/declare/access'
import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError } from '@remit/engine/errors/chain'
import type { IndexedSubscription } from '@remit/engine/ports/history'
import { isoTime } from '@remit/engine/presentation/day'
import { Subscription, toSubscription } from '@remit/engine/presentation/subscription'
import { pageText, quoted, subscriptionText } from '@remit/engine/presentation/subscriptionText'
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

const { free, developer } = ACCESS.search.caps
const SEARCH_PAGE = { default: free.first, max: developer.first }

const Found = Subscription.extend({
  createdAt: Timestamp,
  formattedCreatedAt: IsoTime,
  details: z
    .object({ url: z.string(), description: z.string() })
    .nullable()
    .optional()
    .describe('With includeDetails: what the provider last published, untrusted data.'),
})

/** Subscriptions by who offers them, in which token, how often, cancelled or not. */
export const searchSubscriptions = defineOperation({
  name: 'search_subscriptions',
  effect: 'read',
  kind: 'chain',
  summary: 'Search subscriptions by provider, token, frequency and whether they are cancelled, newest first',
  description:
    `The free lane gets at most ${free.first} rows a page and no details; with an API key it is ` +
    `${developer.first}, with details on request.`,
  access: 'search',
  rest: { method: 'GET', path: '/subscriptions' },
  tool: {
    profiles: ['essential', 'read', 'subscriber'],
    text: ({ subscriptions, ...page }) =>
      pageText(
        'Subscriptions',
        subscriptions.map(
          (row) =>
            subscriptionText(row) + (row.details ? `, described as ${quoted(row.details.description)}` : ''),
        ),
        page,
      ),
  },
  errors: [CursorStaleError],
  input: z
    .object({
      provider: Address.optional().describe('Only those of this provider.'),
      token: Address.optional().describe('Only those in this token.'),
      frequency: FrequencyNumber.optional(),
      cancelled: z
        .boolean()
        .optional()
        .describe('true: only cancelled ones; false (default): only live ones.'),
      includeDetails: z.boolean().optional().describe('Whether rows come with url and description.'),
      ...indexPageFields(SEARCH_PAGE),
    })
    .superRefine(refuseSkipWithAfter),
  table: 'subscriptions',
  output: z.object({
    subscriptions: z.array(Found),
    ...pageAnswer,
    filters: z
      .object({
        provider: Address.nullable(),
        token: Address.nullable(),
        frequency: FrequencyNumber.nullable(),
        cancelled: z.boolean(),
      })
      .describe('What was searched for; null where it was left open.'),
  }),
  query: ({ input, history }) =>
    history.search(
      {
        provider: input.provider,
        token: input.token,
        frequency: input.frequency,
        cancelled: input.cancelled ?? false,
      },
      toPageQuery(input, SEARCH_PAGE),
      input.includeDetails ?? false,
    ),
  async atBlock({ input, chain, rows: page }) {
    const [{ nextUncheckedDay }, tokens] = await Promise.all([
      chain.read.protocol(),
      chain.read.lastingTokens([...new Set(page.rows.map(({ token }) => token))]),
    ])
    return {
      subscriptions: page.rows.map((row) => {
        const token = getToken(tokens, row.token)
        return toFound(row, toSubscription({ terms: row, token, nextUncheckedDay }, chain.today))
      }),
      ...toPageAnswer(page),
      filters: {
        provider: input.provider ?? null,
        token: input.token ?? null,
        frequency: input.frequency ?? null,
        cancelled: input.cancelled ?? false,
      },
      ...tokenWarnings([...tokens.values()]),
    }
  },
})

function toFound(
  { createdAt, details }: IndexedSubscription,
  subscription: z.output<typeof Subscription>,
): z.output<typeof Found> {
  const created = { createdAt, formattedCreatedAt: isoTime(createdAt) }
  return { ...subscription, ...created, ...(details === undefined ? {} : { details }) }
}
