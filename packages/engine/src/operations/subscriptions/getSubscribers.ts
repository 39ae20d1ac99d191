import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { SubscriptionNotFoundError, ViewFailedError } from '../../errors/chain.ts'
import type { Subscriber, TokenFacts } from '../../ports/chainReads.ts'
import { amountText, pageText } from '../../presentation/subscriptionText.ts'
import { feeBalanceRow, tokenWarnings, toToken } from '../../presentation/token.ts'
import { feeBalanceFields, Token } from '../../schema/amount.ts'
import { Address as AddressParam, SubscriptionId } from '../../schema/hex.ts'
import { pageAnswer, pageFields, refuseSkipWithAfter } from '../../schema/page.ts'

const PAGE = { default: 100, max: 500 }

/** Who subscribes, and what each one's fee balance is. */
export const getSubscribers = defineOperation({
  name: 'get_subscribers',
  effect: 'read',
  kind: 'chain',
  summary: 'Subscribers of a subscription with their fee balances, a page at a time',
  access: 'read',
  rest: { method: 'GET', path: '/subscriptions/:id/subscribers' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ subscriptionId, token, subscribers, ...page }) =>
      pageText(
        `Subscribers of ${subscriptionId}`,
        subscribers.map(
          ({ subscriber, feeBalance }) => `${subscriber}, fee balance ${amountText(feeBalance, token)}`,
        ),
        page,
      ),
  },
  errors: [SubscriptionNotFoundError, ViewFailedError],
  input: z
    .object({
      id: SubscriptionId,
      ...pageFields(PAGE),
      after: AddressParam.optional().describe('nextCursor of the previous page.'),
    })
    .superRefine(refuseSkipWithAfter),
  table: 'subscribers',
  output: z.object({
    subscriptionId: SubscriptionId,
    token: Token,
    subscribers: z.array(z.object({ subscriber: AddressParam, ...feeBalanceFields })),
    ...pageAnswer,
  }),
  async atBlock({ input, chain }) {
    const { token, subscribers } = await chain.read.subscribers(input.id)
    // The contract's order changes when somebody leaves: the last subscriber moves into the gap, and a reader who has
    // passed it would miss that subscriber. In the order of addresses, everybody who stays is listed exactly once.
    const inOrder = [...subscribers].sort((a, b) => compareAddresses(a.subscriber, b.subscriber))
    const start = startOfPage(inOrder, input)
    const page = inOrder.slice(start, start + (input.first ?? PAGE.default))
    return toAnswer(input.id, token, page, start + page.length < inOrder.length)
  },
  // The contract's view panics where somebody left while remit had broken off in this subscription. It also has no
  // pages, so a node may not be able to run it.
  fromIndex: {
    query: ({ input: { id, first = PAGE.default, skip = 0, after }, history }) =>
      // One more than the page holds, to know whether there are more.
      history.subscribers(id, { first: first + 1, skip, after }),
    async atBlock({ input, chain, rows }) {
      const accounts = rows.slice(0, input.first ?? PAGE.default)
      const { token, subscribers } = await chain.read.feeBalances(input.id, accounts)
      return toAnswer(input.id, token, subscribers, rows.length > accounts.length)
    },
  },
})

function toAnswer(subscriptionId: Hex, token: TokenFacts, page: readonly Subscriber[], hasMore: boolean) {
  return {
    subscriptionId,
    token: toToken(token),
    subscribers: page.map(({ subscriber, feeBalance }) => ({
      subscriber,
      ...feeBalanceRow(feeBalance, token),
    })),
    count: page.length,
    hasMore,
    nextCursor: hasMore ? (page.at(-1)?.subscriber.toLowerCase() ?? null) : null,
    ...tokenWarnings([token]),
  }
}

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
