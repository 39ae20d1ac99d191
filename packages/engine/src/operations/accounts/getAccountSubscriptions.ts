import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { AccountSubscription } from '../../ports/chainReads.ts'
import { AccountRow, rowText, toAccountRow } from '../../presentation/accountRow.ts'
import { pageText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/hex.ts'
import { growingPageFields, pageAnswer, toNextPlace, toRowRange } from '../../schema/page.ts'
import { queryCreated, queryMemberships, toAccountSubscription } from './indexedAccount.ts'

const PAGE = { default: 100, max: 500 }

const Input = z.object({
  address: Address.describe('The account.'),
  bySubscriber: z
    .boolean()
    .optional()
    .describe('true: those it subscribed to; false (default): those it created.'),
  ...growingPageFields(PAGE),
})

/** What an account created, or what it subscribes to. */
export const getAccountSubscriptions = defineOperation({
  name: 'get_account_subscriptions',
  effect: 'read',
  kind: 'chain',
  summary: 'Subscriptions that an account created, or with bySubscriber=true those it subscribed to',
  description: 'Oldest first. Subscriptions that it has left stay listed: see statusLabel.',
  access: 'read',
  rest: { method: 'GET', path: '/accounts/:address/subscriptions' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ account, bySubscriber, subscriptions, subscriptionsCount, ...page }) =>
      pageText(
        `Of ${subscriptionsCount} subscriptions that ${account} ${bySubscriber ? 'subscribed to' : 'created'}`,
        subscriptions.map(rowText),
        page,
      ),
  },
  input: Input,
  output: z.object({
    account: Address,
    bySubscriber: z.boolean(),
    subscriptions: z.array(AccountRow),
    subscriptionsCount: z.int().min(0).describe('Of all, not only of this page.'),
    ...pageAnswer,
  }),
  errors: [ViewFailedError],
  async atBlock({ input, chain }) {
    const { address, bySubscriber = false } = input
    const found = await chain.read.accountSubscriptions(address, bySubscriber, toRowRange(input, PAGE))
    return toAnswer(input, { ...found, subscriptionsCount: found.count, today: chain.today })
  },
  // Where that view fails: it has no pages, so an account may have more subscriptions than a node can list.
  fromIndex: {
    async query({ input, history }) {
      const { address, bySubscriber = false } = input
      const range = toRowRange(input, PAGE)
      const query = bySubscriber ? queryMemberships : queryCreated
      return { list: await query(history, address, range), counts: await history.accountCounts(address) }
    },
    async atBlock({ input, chain, rows: { list, counts } }) {
      const { nextUncheckedDay, rows } = await chain.read.subscriptionsById(list.ids)
      const listed = rows.map((row) => toAccountSubscription(row, list))
      const subscriptionsCount = input.bySubscriber ? counts.subscribedTo : counts.created
      return toAnswer(input, { nextUncheckedDay, subscriptionsCount, rows: listed, today: chain.today })
    },
  },
})

function toAnswer(
  input: z.output<typeof Input>,
  found: {
    nextUncheckedDay: number
    today: number
    subscriptionsCount: number
    rows: readonly AccountSubscription[]
  },
) {
  return {
    account: input.address,
    bySubscriber: input.bySubscriber ?? false,
    subscriptions: found.rows.map((row) => toAccountRow(row, found)),
    subscriptionsCount: found.subscriptionsCount,
    count: found.rows.length,
    ...toNextPlace(toRowRange(input, PAGE), found.subscriptionsCount),
    ...tokenWarnings(found.rows.map((row) => row.token)),
  }
}
