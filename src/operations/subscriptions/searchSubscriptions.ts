import * as z from 'zod'
import { LANE_CAPS, type Lane } from '../../core/lanes.ts'
import { defineOperation } from '../../core/operation.ts'
import type { IndexedSubscription } from '../../core/ports/history.ts'
import { CursorStaleError } from '../../errors/chain.ts'
import { isoTime } from '../../presentation/day.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { pageText, quoted, subscriptionText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/address.ts'
import type { Issue } from '../../schema/answer.ts'
import { FrequencyNumber } from '../../schema/frequency.ts'
import { IsoTime, Timestamp } from '../../schema/numbers.ts'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '../../schema/page.ts'

const SEARCH_PAGE = { default: LANE_CAPS.free.searchFirst, max: LANE_CAPS.developer.searchFirst }

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
  scope: 'index',
  summary: 'Search subscriptions by provider, token, frequency and whether they are cancelled, newest first',
  description:
    `The free lane gets at most ${LANE_CAPS.free.searchFirst} rows a page and no details; with an API key it is ` +
    `${LANE_CAPS.developer.searchFirst}, with details on request.`,
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
  buckets: ['expensive'],
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
  beyondLane: ({ input, lane }) => beyondLane(input, lane),
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
        const token = tokens.get(row.token)
        // Tokens are approved for good, and nothing is created in any other.
        if (token === undefined) throw new RangeError(`the protocol has not approved ${row.token}`)
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

/** Finds what the caller asks for beyond the caps of its lane. */
function beyondLane(
  { first, includeDetails }: { readonly first?: unknown; readonly includeDetails?: unknown },
  lane: Lane,
): Issue[] {
  const caps = LANE_CAPS[lane]
  const issues: Issue[] = []
  if (typeof first === 'number' && first > caps.searchFirst) {
    const most = LANE_CAPS.developer.searchFirst
    const more = caps.searchFirst < most ? `; with an API key it may be ${most}` : ''
    const message = `must be at most ${caps.searchFirst} on the ${lane} lane${more}`
    issues.push({ path: 'first', message, limit: caps.searchFirst })
  }
  if (includeDetails === true && !caps.includeDetails) {
    const message = `must not be true on the ${lane} lane: send an API key, or read the details of one subscription`
    issues.push({ path: 'includeDetails', message })
  }
  return issues
}
