import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { amountText, subscriptionText } from '../../presentation/subscriptionText.ts'
import { feeBalanceRow, tokenWarnings, toToken } from '../../presentation/token.ts'
import { feeBalanceFields, Token } from '../../schema/amount.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'

export const SubscriptionAnswer = z.object({ subscription: Subscription })

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
  output: SubscriptionAnswer,
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
    text: ({ subscriber, subscriptionId, token, feeBalance }) =>
      `The fee balance of ${subscriber} in ${subscriptionId} is ${amountText(feeBalance, token)}.`,
  },
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, address: Address.describe('The subscriber.') }),
  output: z.object({
    subscriptionId: SubscriptionId,
    subscriber: Address,
    token: Token,
    ...feeBalanceFields,
  }),
  async atBlock({ input, chain }) {
    const { token, feeBalance } = await chain.read.feeBalance(input.id, input.address)
    return {
      subscriptionId: input.id,
      subscriber: input.address,
      token: toToken(token),
      ...feeBalanceRow(feeBalance, token),
      ...tokenWarnings([token]),
    }
  },
})
