import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError, SubscriptionNotFoundError } from '@remit/engine/errors/chain'
import {
  ActivityEvent,
  HISTORY_PAGE,
  HistoryEvent,
  historyEventText,
  NO_ROWS,
  toActivityEvent,
  toHistoryEvent,
  tokensOf,
} from '@remit/engine/presentation/historyEvent'
import { pageText } from '@remit/engine/presentation/subscriptionText'
import { tokenWarnings } from '@remit/engine/presentation/token'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '@remit/engine/schema/page'
import * as z from 'zod'

/** Every event of one subscription. */
export const getSubscriptionHistory = defineOperation({
  name: 'get_subscription_history',
  effect: 'read',
  kind: 'chain',
  summary: 'What happened to a subscription: created, subscribed, paid, failed, left, newest first',
  description:
    'What `amount` means depends on eventName: some events log a full period whatever moved, and two log ' +
    'the same money. Do not simply add them up.',
  access: 'expensive',
  rest: { method: 'GET', path: '/subscriptions/:id/history' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ subscriptionId, events, ...page }) =>
      pageText(`Events of ${subscriptionId}, newest first`, events.map(historyEventText), page),
  },
  errors: [SubscriptionNotFoundError, CursorStaleError],
  input: z.object({ id: SubscriptionId, ...indexPageFields(HISTORY_PAGE) }).superRefine(refuseSkipWithAfter),
  table: 'events',
  output: z.object({ subscriptionId: SubscriptionId, events: z.array(HistoryEvent), ...pageAnswer }),
  query: ({ input, history }) => history.events(input.id, toPageQuery(input, HISTORY_PAGE)),
  withoutIndex: { rows: NO_ROWS, reported: true },
  async atBlock({ input, chain, rows: page }) {
    const [, tokens] = await Promise.all([
      // The chain decides whether the subscription exists, not the index.
      chain.read.subscription(input.id),
      chain.read.lastingTokens(tokensOf(page.rows)),
    ])
    return {
      subscriptionId: input.id,
      events: page.rows.map((event) => toHistoryEvent(event, tokens)),
      ...toPageAnswer(page),
      ...tokenWarnings([...tokens.values()]),
    }
  },
})

const EventCount = z.int().min(0).describe('Events in its whole history.')

/** Every event of one account, as subscriber and as provider. */
export const getAccountActivity = defineOperation({
  name: 'get_account_activity',
  effect: 'read',
  kind: 'chain',
  summary: 'What happened to an account as subscriber and as provider, in one stream, newest first',
  description:
    'Each event comes once; `roles` says which side the account is on. What `amount` means depends on ' +
    'eventName. APPROVAL is a log of the token: from then on the contract may take `amount` of the account’s tokens, for ' +
    'all of its subscriptions together. An account that never used the protocol has no events.',
  access: 'expensive',
  rest: { method: 'GET', path: '/accounts/:address/activity' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ account, events, breakdown, ...page }) =>
      pageText(
        `Events of ${account} (${breakdown.asSubscriber} as subscriber, ${breakdown.asProvider} as provider), newest first`,
        events.map(
          (event) => `${event.id ?? 'allowance'} as ${event.roles.join(' and ')}: ${historyEventText(event)}`,
        ),
        page,
      ),
  },
  errors: [CursorStaleError],
  input: z
    .object({ address: Address.describe('The account.'), ...indexPageFields(HISTORY_PAGE) })
    .superRefine(refuseSkipWithAfter),
  table: 'events',
  output: z.object({
    account: Address,
    events: z.array(ActivityEvent),
    breakdown: z.object({ asSubscriber: EventCount, asProvider: EventCount }),
    ...pageAnswer,
  }),
  query: ({ input, history }) => history.activity(input.address, toPageQuery(input, HISTORY_PAGE)),
  withoutIndex: {
    rows: { ...NO_ROWS, breakdown: { asSubscriber: 0, asProvider: 0 } },
    reported: true,
  },
  async atBlock({ input, chain, rows: page }) {
    const tokens = await chain.read.lastingTokens(tokensOf(page.rows))
    return {
      account: input.address,
      events: page.rows.map((event) => toActivityEvent(event, tokens)),
      breakdown: page.breakdown,
      ...toPageAnswer(page),
      ...tokenWarnings([...tokens.values()]),
    }
  },
})
