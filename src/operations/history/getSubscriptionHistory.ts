import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { CursorStaleError, SubscriptionNotFoundError } from '../../errors/chain.ts'
import { eventText, HistoryEvent, toHistoryEvent, tokensOf } from '../../presentation/historyEvent.ts'
import { HISTORY_PAGE, NO_ROWS } from '../../presentation/historyPage.ts'
import { pageText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '../../schema/page.ts'

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
      pageText(`Events of ${subscriptionId}, newest first`, events.map(eventText), page),
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
