import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError } from '@remit/engine/errors/chain'
import type { ListedMember } from '@remit/engine/ports/verdicts'
import { MEMBER_SORTS } from '@remit/engine/ports/verdicts'
import { isoTime, toDay, toDayOrNull } from '@remit/engine/presentation/day'
import { membershipLife } from '@remit/engine/presentation/membership'
import { Subscription, toSubscription } from '@remit/engine/presentation/subscription'
import { dayText, pageText } from '@remit/engine/presentation/subscriptionText'
import { getToken, quantity, tokenWarnings } from '@remit/engine/presentation/token'
import { Quantity } from '@remit/engine/schema/amount'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { BlockNumber, Day, IsoTime, Timestamp } from '@remit/engine/schema/numbers'
import { pageAnswer, pageFields } from '@remit/engine/schema/page'
import { paidThrough } from '@remit/protocol/entitlement'
import * as z from 'zod'

const PAGE = { default: 25, max: 500 }

/**
 * What the letters of a verdict's `charges` are in the answer (`Verdict` in `engine/ports/verdicts.ts` has one for each charge): P and F
 * pay (F also fills the fee balance), X fails, B waits because the token refuses the transfer, S is passed over. A "page break" is where
 * a call of remit has charged as many as it may: the next one can pass over some of that day.
 */
const OUTCOMES: Readonly<Record<string, 'pays' | 'fails' | 'waits' | 'skipped'>> = {
  P: 'pays',
  F: 'pays',
  X: 'fails',
  B: 'waits',
  S: 'skipped',
}

const { first, after } = pageFields(PAGE)

const Member = z
  .object({
    subscriber: Address,
    subscription: Subscription.describe('The terms, as they are at the index’s block.'),
    description: z
      .string()
      .nullable()
      .describe('What the provider says of the subscription: a stranger’s text. null where it says nothing.'),
    subscribedAt: Timestamp.describe('When it last subscribed.'),
    formattedSubscribedAt: IsoTime,
    paidThrough: Day.nullable().describe('The last day that is paid for; null after the year 9999.'),
    nextCharge: z
      .object({
        ...Day.shape,
        outcome: z
          .enum(['pays', 'fails', 'waits', 'skipped'])
          .describe(
            'By what the account held and allowed at `readAt`. fails: remit drops it. waits: the token refuses the transfer, ' +
              'and remit reverts. skipped: its token is paused, a page break of remit passes over it, or it was charged already.',
          ),
      })
      .nullable()
      .describe(
        'The first charge that remit has not made. null until it is read, and where no due day is left.',
      ),
    trouble: z
      .object({
        ...Day.shape,
        reason: z.enum(['allowance', 'balance', 'both', 'blocked']),
        missing: z.object({ allowance: Quantity, balance: Quantity }),
      })
      .nullable()
      .describe('The first charge that is known to fail or to wait; null where none is.'),
    readAt: z
      .object({ blockNumber: BlockNumber, timestamp: Timestamp })
      .nullable()
      .describe(
        'The block at which balance and allowance were read; null where they were not since its last event.',
      ),
  })
  .meta({ id: 'Member' })

/** Who subscribes to a provider's plans now, and whether they will pay, as the index knows it: the member list of the desk. */
export const listProviderMembers = defineOperation({
  name: 'list_provider_members',
  effect: 'read',
  kind: 'chain',
  summary:
    'Who subscribes to a provider’s plans: since when, paid through when, and whether the next charge pays',
  description:
    'Active members of subscriptions that are not cancelled, one row for each subscription. What holds remit up for everybody ' +
    'is in the provider’s outlook. All pages are in the order of the first one: who was a member then comes once, unless it ' +
    'has left, and who joined later comes with the next list.',
  access: 'expensive',
  errors: [CursorStaleError],
  rest: { method: 'GET', path: '/providers/:address/members' },
  tool: {
    profiles: ['provider'],
    text: ({ provider, members, total, ...page }) =>
      pageText(
        `Of ${total} members of ${provider}`,
        members.map(
          ({ subscriber, subscription, nextCharge, paidThrough: last }) =>
            `${subscriber} in ${subscription.id}, paid through ${dayText(last)}, next charge ` +
            (nextCharge === null ? 'not known' : `${nextCharge.date}: ${nextCharge.outcome}`),
        ),
        page,
      ),
  },
  input: z.object({
    address: Address.describe('The provider.'),
    subscriptionId: SubscriptionId.optional().describe('Only members of this subscription.'),
    subscriber: z
      .string()
      .max(42)
      .regex(
        /^0x[0-9a-f]*(?:…[0-9a-f]+)?$|^[0-9a-f]+$/i,
        'must be an address, its beginning, or a part of its digits',
      )
      .optional()
      .describe('Only addresses that begin with this, such as 0x7099 or 0x7099…79C8, or have these digits.'),
    sort: z
      .enum(MEMBER_SORTS)
      .optional()
      .describe(
        'trouble (default): who will not pay first, soonest first, then by the next charge. Those that have not been read are ' +
          'last.',
      ),
    order: z.enum(['asc', 'desc']).optional().describe('Default asc.'),
    first,
    after,
  }),
  table: 'members',
  output: z.object({
    provider: Address,
    members: z.array(Member),
    total: z.int().min(0).describe('Of all pages.'),
    ...pageAnswer,
  }),
  async query({ input, history }) {
    const { address, subscriptionId, sort = 'trouble', order = 'asc', ...page } = input
    const found = await history.members({
      provider: address,
      subscriptionId,
      address: toPattern(input.subscriber),
      sort,
      order,
      first: page.first ?? PAGE.default,
      after: page.after,
    })
    return { ...found, descriptions: await history.descriptions(found.rows.map(({ terms }) => terms.id)) }
  },
  async handle({ input, chain, rows: { rows, total, nextCursor, descriptions } }) {
    const [settings, tokens] = await Promise.all([
      chain.read.protocol(),
      chain.read.lastingTokens([...new Set(rows.map(({ terms }) => terms.token))]),
    ])
    return {
      provider: input.address,
      members: rows.map((row) => {
        const token = getToken(tokens, row.terms.token)
        return {
          ...toMember(row, { token, settings, today: chain.today }),
          description: descriptions.get(row.terms.id) ?? null,
        }
      }),
      total,
      count: rows.length,
      hasMore: nextCursor !== null,
      nextCursor,
      ...tokenWarnings([...tokens.values()]),
    }
  },
})

/** A member as it is answered, at this block: whether it has paid, its next charge, and what is wrong with it. */
function toMember(
  { subscriber, terms, joined, lastPaidDay, verdict }: ListedMember,
  {
    token,
    settings,
    today,
  }: {
    readonly token: ReturnType<typeof getToken>
    readonly settings: { readonly nextUncheckedDay: number }
    readonly today: number
  },
) {
  const { nextUncheckedDay } = settings
  // Only active members are listed: nothing has ended them, and `uncheckedAtEnd` is 0 then.
  const record = { joined, lastPaidDay, ended: null, uncheckedAtEnd: 0 }
  const last = paidThrough(membershipLife(record, { terms, token, settings }))
  // The verdict was made at an earlier block. If remit has gone past its day since, it says nothing of the next charge.
  const isCurrent = verdict?.firstDay != null && verdict.firstDay >= nextUncheckedDay
  const outcome = isCurrent ? OUTCOMES[verdict.charges.charAt(0)] : undefined
  const trouble =
    verdict?.trouble != null && verdict.trouble.dayNumber >= nextUncheckedDay ? verdict.trouble : null
  return {
    subscriber,
    subscription: toSubscription({ terms, token, nextUncheckedDay }, today),
    subscribedAt: joined.timestamp,
    formattedSubscribedAt: isoTime(joined.timestamp),
    paidThrough: toDayOrNull(last ?? undefined),
    nextCharge:
      outcome === undefined || verdict?.firstDay == null ? null : { ...toDay(verdict.firstDay), outcome },
    trouble: trouble && {
      ...toDay(trouble.dayNumber),
      reason: trouble.kind,
      missing: {
        allowance: quantity(trouble.missingAllowance, token),
        balance: quantity(trouble.missingBalance, token),
      },
    },
    readAt: verdict && { blockNumber: verdict.blockNumber, timestamp: verdict.blockTimestamp },
  }
}

/** A search text as the index takes it: beginning and end of an address, or a part of its digits. */
function toPattern(text: string | undefined) {
  if (text === undefined) return undefined
  const digits = text.toLowerCase()
  const [begin = '', end = ''] = digits.split('…')
  return digits.startsWith('0x') ? { begin, end } : { part: digits }
}
