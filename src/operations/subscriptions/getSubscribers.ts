import type { Address } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SubscriptionNotFoundError, ViewFailedError } from '../../errors/chain.ts'
import { Address as AddressParam } from '../../schema/address.ts'
import { feeBalanceFields } from '../../schema/amount.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { pageAnswer, pageFields } from '../../schema/page.ts'
import { feeBalanceRow, tokenWarnings } from '../tokens/token.ts'

const FIRST = { default: 100, max: 500 }

/** Who subscribes, and what each one's fee balance is. */
export const getSubscribers = defineOperation({
  name: 'get_subscribers',
  effect: 'read',
  scope: 'chain',
  summary: 'Subscribers of a subscription with their fee balances, a page at a time',
  rest: { method: 'GET', path: '/subscriptions/:id/subscribers' },
  errors: [SubscriptionNotFoundError, ViewFailedError],
  input: z
    .object({
      id: SubscriptionId,
      ...pageFields(FIRST),
      after: AddressParam.optional().describe('The nextCursor of the page before.'),
    })
    .refine(({ skip, after }) => skip === undefined || after === undefined, {
      path: ['skip'],
      message: 'cannot be given together with after',
    }),
  output: z.object({
    subscriptionId: SubscriptionId,
    subscribers: z.array(z.object({ subscriber: AddressParam, ...feeBalanceFields })),
    ...pageAnswer,
  }),
  async handle({ input, chain }) {
    const { token, subscribers } = await chain.read.subscribers(input.id)
    // The contract's own order changes whenever somebody leaves: the last one moves into the gap, behind a
    // reader who has passed it. By address, whoever stays is met exactly once.
    const inOrder = [...subscribers].sort((a, b) => compareAddresses(a.subscriber, b.subscriber))
    const start = startOfPage(inOrder, input)
    const page = inOrder.slice(start, start + (input.first ?? FIRST.default))
    const hasMore = start + page.length < inOrder.length
    return {
      subscriptionId: input.id,
      subscribers: page.map(({ subscriber, feeBalance }) => ({
        subscriber,
        ...feeBalanceRow(feeBalance, token),
      })),
      count: page.length,
      hasMore,
      nextCursor: hasMore ? (page.at(-1)?.subscriber.toLowerCase() ?? null) : null,
      ...tokenWarnings([token]),
    }
  },
})

function startOfPage(
  rows: readonly { subscriber: Address }[],
  { skip, after }: { skip?: number | undefined; after?: Address | undefined },
): number {
  if (after === undefined) return skip ?? 0
  const next = rows.findIndex(({ subscriber }) => compareAddresses(subscriber, after) > 0)
  return next === -1 ? rows.length : next
}

function compareAddresses(a: Address, b: Address): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()]
  return left < right ? -1 : left > right ? 1 : 0
}
