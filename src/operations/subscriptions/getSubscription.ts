import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { CALENDAR_TYPE, calendarFile } from '../../presentation/calendarFeed.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { amountText, subscriptionText } from '../../presentation/subscriptionText.ts'
import { feeBalanceRow, tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/address.ts'
import { feeBalanceFields } from '../../schema/amount.ts'
import { SubscriptionId } from '../../schema/hash.ts'

/** One subscription's terms, and when it is next due. */
export const getSubscription = defineOperation({
  name: 'get_subscription',
  effect: 'read',
  kind: 'chain',
  summary: 'One subscription: terms, amount, token, whether it is cancelled, when it is next due',
  access: 'read',
  rest: { method: 'GET', path: '/subscriptions/:id' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ subscription }) => subscriptionText(subscription),
  },
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId }),
  output: z.object({ subscription: Subscription }),
  files: [
    {
      name: 'subscription_calendar',
      path: '/subscriptions/:id/calendar.ics',
      contentType: CALENDAR_TYPE,
      summary: 'The due days of a subscription, as a calendar',
      render: ({ subscription, ...read }) => {
        const title = `Due: ${amountText(subscription, subscription.token)}`
        return calendarFile({ ...read, name: title, rows: [{ subscription, title }] })
      },
    },
  ],
  async atBlock({ input, chain }) {
    const state = await chain.read.subscription(input.id)
    return { subscription: toSubscription(state, chain.today), ...tokenWarnings([state.token]) }
  },
})

/** What the contract holds for one subscriber to pay remit's callers. */
export const getFeeBalance = defineOperation({
  name: 'get_fee_balance',
  effect: 'read',
  kind: 'chain',
  summary: 'Fee balance of one address in one subscription; "0" for one that never subscribed',
  access: 'read',
  rest: { method: 'GET', path: '/subscriptions/:id/fee-balance' },
  tool: {
    profiles: ['read'],
    text: ({ subscriber, subscriptionId, feeBalance }) =>
      `The fee balance of ${subscriber} in ${subscriptionId} is ${feeBalance.amount}.`,
  },
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, address: Address.describe('The subscriber.') }),
  output: z.object({ subscriptionId: SubscriptionId, subscriber: Address, ...feeBalanceFields }),
  async atBlock({ input, chain }) {
    const { token, feeBalance } = await chain.read.feeBalance(input.id, input.address)
    return {
      subscriptionId: input.id,
      subscriber: input.address,
      ...feeBalanceRow(feeBalance, token),
      ...tokenWarnings([token]),
    }
  },
})
