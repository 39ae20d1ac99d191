import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { EventRow } from '../../presentation/eventRow.ts'
import { Address } from '../../schema/address.ts'
import { Bytes, SubscriptionId, TransactionHash } from '../../schema/hash.ts'
import { BlockNumber, Uint256 } from '../../schema/numbers.ts'

const Reason = z.object({
  protocolCode: z.string().optional().describe('The contract’s own revert string, "0" to "25".'),
  name: z.string(),
  message: z.string(),
  data: Bytes.optional().describe('The raw revert data, where it could not be decoded.'),
})

const Outcome = z.object({
  transactionHash: TransactionHash,
  status: z.enum(['pending', 'success', 'reverted', 'replaced', 'unknown']),
  confirmed: z.boolean().describe('It has a receipt.'),
  confirmations: z.int().min(0),
  finalized: z.boolean(),
  blockNumber: BlockNumber.nullable(),
  gasUsed: Uint256.nullable(),
  events: z.array(EventRow),
  createdSubscriptionId: SubscriptionId.nullable().describe('The id that a create made.'),
  reason: Reason.nullable().describe('Why it reverted.'),
  reasonSource: z
    .enum(['replay'])
    .nullable()
    .describe('replay: from running it again on the parent block, without what stood before it in its own.'),
})

/** What became of a transaction that a wallet has sent. */
export const getTransactionStatus = defineOperation({
  name: 'get_transaction_status',
  effect: 'read',
  scope: 'chain',
  summary: 'What became of a sent transaction: pending, success with its events, reverted with the reason',
  description:
    'Use the chainId that the transaction was prepared for. `from` and `nonce` let a replaced transaction be ' +
    'told from one that was never seen.',
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
  output: Outcome,
  async handle({ input, chain }) {
    const { txHash, from, nonce } = input
    const outcome = await chain.transaction(txHash, {
      ...(from === undefined ? {} : { from }),
      ...(nonce === undefined ? {} : { nonce }),
    })
    return { ...outcome, events: outcome.events.map((event) => ({ ...event, args: { ...event.args } })) }
  },
})

function outcomeText(outcome: z.output<typeof Outcome>): string {
  const { transactionHash, status, blockNumber, confirmations, finalized, reason, createdSubscriptionId } =
    outcome
  const where = blockNumber === null ? '' : ` in block ${blockNumber}, ${confirmations} confirmations`
  const events = outcome.events.map(({ event, eventName, amount }) =>
    [eventName ?? event ?? 'an unknown event', amount ?? ''].join(' ').trim(),
  )
  return [
    `${transactionHash}: ${status}${where}${finalized ? ', final' : ''}.`,
    ...(reason === null ? [] : [`It reverted: ${reason.message}`]),
    ...(createdSubscriptionId === null ? [] : [`It created the subscription ${createdSubscriptionId}.`]),
    ...(events.length === 0 ? [] : [`Events: ${events.join(', ')}.`]),
  ].join('\n')
}
