import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { Address, TransactionHash } from '../../schema/hex.ts'
import { TransactionOutcome } from '../../schema/transaction.ts'

/** What became of a transaction that a wallet has sent. */
export const getTransactionStatus = defineOperation({
  name: 'get_transaction_status',
  effect: 'read',
  kind: 'chain',
  summary: 'What became of a sent transaction: pending, success with its events, reverted with the reason',
  description:
    'Use the chainId that the transaction was prepared for. `from` and `nonce` tell a replaced transaction from one that was never seen.',
  access: 'read',
  rest: { method: 'POST', path: '/transactions/status' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider', 'keeper'],
    text: (outcome) => outcomeText(outcome),
  },
  input: z
    .object({
      txHash: TransactionHash,
      from: Address.optional().describe('Who sent it.'),
      nonce: z.int().min(0).optional().describe('The nonce that it was sent with.'),
    })
    .refine(({ from, nonce }) => (from === undefined) === (nonce === undefined), {
      path: ['nonce'],
      message: 'goes together with from: give both or neither',
    }),
  output: TransactionOutcome,
  async handle({ input, chain }) {
    const { txHash, from, nonce } = input
    return chain.transaction(txHash, {
      ...(from === undefined ? {} : { from }),
      ...(nonce === undefined ? {} : { nonce }),
    })
  },
})

function outcomeText(outcome: TransactionOutcome): string {
  const { transactionHash, status, blockNumber, confirmations, finalized, reason, createdSubscriptionId } =
    outcome
  const where = blockNumber === null ? '' : ` in block ${blockNumber}, ${confirmations} confirmations`
  const events = outcome.events.map(({ event, eventName, amount, args, address }) => {
    const name = eventName ?? event ?? 'an unknown event'
    // Logs of the contract name their token; others that state an amount are the token's own.
    return amount === undefined ? name : `${name} ${amount} of token ${args.token ?? address}`
  })
  return [
    `${transactionHash}: ${status}${where}${finalized ? ', final' : ''}.`,
    ...(reason === null ? [] : [`It reverted: ${reason.message}`]),
    ...(createdSubscriptionId === null ? [] : [`It created the subscription ${createdSubscriptionId}.`]),
    ...(events.length === 0 ? [] : [`Events: ${events.join(', ')}.`]),
  ].join('\n')
}
