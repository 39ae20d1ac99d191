import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { Address } from '../../schema/address.ts'
import { tokenWarnings } from '../tokens/token.ts'
import { AccountRow, toAccountRow } from './accountRow.ts'

/** What an account created, or what it subscribes to. */
export const getAccountSubscriptions = defineOperation({
  name: 'get_account_subscriptions',
  effect: 'read',
  scope: 'chain',
  summary: 'Subscriptions that an account created, or with bySubscriber=true those it subscribed to',
  description: 'The contract keeps what an account left for good: look at statusLabel.',
  rest: { method: 'GET', path: '/accounts/:address/subscriptions' },
  input: z.object({
    address: Address.describe('The account.'),
    bySubscriber: z
      .boolean()
      .optional()
      .describe('true: those it subscribed to; false (default): those it created.'),
  }),
  output: z.object({ account: Address, bySubscriber: z.boolean(), subscriptions: z.array(AccountRow) }),
  async handle({ input, chain }) {
    const bySubscriber = input.bySubscriber ?? false
    const { nextUncheckedDay, rows } = await chain.read.accountSubscriptions(input.address, bySubscriber)
    return {
      account: input.address,
      bySubscriber,
      subscriptions: rows.map((row) => toAccountRow(row, nextUncheckedDay)),
      ...tokenWarnings(rows.map((row) => row.token)),
    }
  },
})
