import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { PaymentNotFoundError } from '../../errors/history.ts'
import { Payment, toPayment } from '../../presentation/payment.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { amountText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { TokenCheck, tokenLogsWarnings, toTokenCheck } from '../../presentation/tokenLogs.ts'
import { TransactionHash } from '../../schema/hash.ts'

/** The receipt of one payment. */
export const getPayment = defineOperation({
  name: 'get_payment',
  effect: 'read',
  kind: 'chain',
  summary: 'One payment’s receipt: who paid whom for which day, how it was split, block and confirmations',
  description:
    'The log may be any of the payment’s: one of the contract’s events, or a Transfer of the token that belongs to it.',
  access: 'read',
  rest: { method: 'GET', path: '/payments/:txHash/:logIndex' },
  tool: {
    profiles: ['read', 'subscriber', 'provider'],
    text: ({ payment, confirmations }) =>
      `${payment.kind} of ${payment.day.date}: ${payment.subscriber} was charged ${amountText(payment.charged, payment.token)}, ` +
      `${amountText(payment.toProvider, payment.token)} went to ${payment.provider}. Block ${payment.blockNumber}, ` +
      `${confirmations} confirmations${payment.finalized ? ', final' : ''}.`,
  },
  errors: [PaymentNotFoundError],
  input: z.object({
    txHash: TransactionHash,
    logIndex: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .describe('The log’s index in its block.'),
  }),
  output: z.object({
    payment: Payment,
    subscription: Subscription.describe('The terms, as they are at the index’s block.'),
    confirmations: z.int().min(1).describe('Blocks from the payment’s to the index’s, both counted.'),
    tokenCheck: TokenCheck,
  }),
  async query({ input, history }) {
    const found = await history.payment(input.txHash, input.logIndex)
    if (found === undefined) return undefined
    const [logs] = await history.tokenLogs([found.token])
    return logs && { found, logs }
  },
  async handle({ input, chain, rows }) {
    const absent = () => new PaymentNotFoundError(input.txHash, input.logIndex, chain.chainId)
    if (rows === undefined) throw absent()
    const { found, logs } = rows
    const [state, tokens] = await Promise.all([
      chain.read.subscription(found.subscriptionId),
      chain.read.lastingTokens([found.token]),
    ])
    // A clean-up may have named another token than the subscription's, even one that is not approved.
    const token = tokens.get(found.token) ?? state.token
    const payment = found.token === token.address ? toPayment(found, token) : undefined
    if (payment === undefined) throw absent()
    return {
      payment,
      subscription: toSubscription(state, chain.today),
      confirmations: Math.max(1, chain.asOf.blockNumber - found.blockNumber + 1),
      tokenCheck: toTokenCheck(logs),
      ...tokenWarnings([token, state.token], tokenLogsWarnings([logs])),
    }
  },
})
