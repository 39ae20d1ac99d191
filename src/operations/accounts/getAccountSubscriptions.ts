import type { Address as AccountAddress } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import type { AccountSubscription } from '../../core/ports/chainReads.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import { AccountRow, rowText, toAccountRow } from '../../presentation/accountRow.ts'
import { pageText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/address.ts'
import { queryCreated, queryMemberships, requireWhole, toAccountSubscription } from './indexedAccount.ts'

/** What an account created, or what it subscribes to. */
export const getAccountSubscriptions = defineOperation({
  name: 'get_account_subscriptions',
  effect: 'read',
  scope: 'chain',
  summary: 'Subscriptions that an account created, or with bySubscriber=true those it subscribed to',
  description: 'The contract keeps what an account left for good: look at statusLabel.',
  rest: { method: 'GET', path: '/accounts/:address/subscriptions' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ account, bySubscriber, subscriptions }) =>
      pageText(`${account} ${bySubscriber ? 'subscribes to' : 'created'}`, subscriptions.map(rowText)),
  },
  input: z.object({
    address: Address.describe('The account.'),
    bySubscriber: z
      .boolean()
      .optional()
      .describe('true: those it subscribed to; false (default): those it created.'),
  }),
  output: z.object({ account: Address, bySubscriber: z.boolean(), subscriptions: z.array(AccountRow) }),
  errors: [ViewFailedError],
  async handle({ input, chain }) {
    const { address, bySubscriber = false } = input
    const found = await chain.read.accountSubscriptions(address, bySubscriber)
    return toAnswer(address, bySubscriber, { ...found, today: chain.today })
  },
  // The contract's view has no pages, so an account may have more subscriptions than a node can list.
  fromIndex: {
    query: ({ input: { address, bySubscriber = false }, history }) =>
      bySubscriber ? queryMemberships(history, address) : queryCreated(history, address),
    async handle({ input: { address, bySubscriber = false }, chain, rows: list }) {
      const { nextUncheckedDay, rows } = await chain.read.subscriptionsById(requireWhole(list))
      const listed = rows.map((row) => toAccountSubscription(row, list))
      return toAnswer(address, bySubscriber, { nextUncheckedDay, rows: listed, today: chain.today })
    },
  },
})

function toAnswer(
  account: AccountAddress,
  bySubscriber: boolean,
  found: { nextUncheckedDay: number; today: number; rows: readonly AccountSubscription[] },
) {
  return {
    account,
    bySubscriber,
    subscriptions: found.rows.map((row) => toAccountRow(row, found)),
    ...tokenWarnings(found.rows.map((row) => row.token)),
  }
}
