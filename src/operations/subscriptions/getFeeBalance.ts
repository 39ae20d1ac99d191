import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { feeBalanceRow, tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/address.ts'
import { feeBalanceFields } from '../../schema/amount.ts'
import { SubscriptionId } from '../../schema/hash.ts'

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
