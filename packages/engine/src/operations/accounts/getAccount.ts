import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import { coverageOf } from '@remit/protocol/coverage'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { AccountMembership, AccountState } from '../../ports/chainReads.ts'
import {
  AccountRow,
  AllowanceCovers,
  Covers,
  isCharged,
  rowText,
  toAccountRow,
  toAllowanceCovers,
  toCharged,
  toCovers,
} from '../../presentation/accountRow.ts'
import { amountText, dayText, pageText } from '../../presentation/subscriptionText.ts'
import { protocolQuantity, tokenWarnings } from '../../presentation/token.ts'
import { Quantity } from '../../schema/amount.ts'
import { Address } from '../../schema/hex.ts'
import { growingPageFields, pageAnswer, toNextPlace, toRowRange } from '../../schema/page.ts'
import {
  type IndexedList,
  queryActive,
  queryCreated,
  queryMemberships,
  requireWhole,
  toAccountSubscription,
} from './indexedAccount.ts'

/** How many rows of each list a page has. */
export const ACCOUNT_PAGE = { default: 100, max: 500 }

const ListCount = z.int().min(0).describe('Of all, not only of this page.')

const Input = z.object({
  address: Address.describe('The account.'),
  ...growingPageFields(ACCOUNT_PAGE),
})

const Membership = AccountRow.extend({
  feeBalance: Quantity,
  tokenPaused: z
    .boolean()
    .describe(
      'Whether the token is paused. Remit charges nothing in it then. `covers` and `allowanceCovers` count as if it were not paused.',
    ),
  covers: Covers.nullable().describe(
    'How long balance and allowance pay for this subscription, beside the wallet’s others in the same ' +
      'token. Income is not counted. It begins with the first day that remit has not finished, and counts what remit has ' +
      'charged on that day once more. The account’s outlook simulates remit. null where nothing is charged any more.',
  ),
  allowanceCovers: AllowanceCovers.nullable().describe(
    'How long the allowance alone pays for it; null where it has no end, or where nothing is charged any more.',
  ),
})

export const AccountAnswer = z.object({
  account: Address,
  subscribedTo: z.array(Membership),
  subscribedToCount: ListCount,
  created: z.array(AccountRow),
  createdCount: ListCount,
  hasMore: pageAnswer.hasMore,
  nextCursor: pageAnswer.nextCursor,
})

/** What an account subscribes to, with fee balances and allowances, and what it created. */
export const getAccount = defineOperation({
  name: 'get_account',
  effect: 'read',
  kind: 'chain',
  summary: 'An account’s subscriptions, as subscriber (with fee balances and allowances) and as provider',
  description:
    'Oldest first, and a page has `first` of each list. An account that never used the protocol has empty lists.',
  access: 'read',
  rest: { method: 'GET', path: '/accounts/:address' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ account, subscribedTo, subscribedToCount, created, createdCount, ...page }) =>
      [
        pageText(`Of ${subscribedToCount} subscriptions of ${account}`, subscribedTo.map(membershipText)),
        pageText(`Of ${createdCount} that it created`, created.map(rowText), page),
      ].join('\n'),
  },
  input: Input,
  errors: [ViewFailedError],
  output: AccountAnswer,
  async atBlock({ input, chain }) {
    const range = toRowRange(input, ACCOUNT_PAGE)
    const state = await chain.read.account(input.address, range)
    return toAnswer(input, state, {
      memberships: state.subscribedTo.slice(range.skip, range.skip + range.first),
      subscribedToCount: state.subscribedTo.length,
      today: chain.today,
    })
  },
  // Where the contract's view of an account's subscriptions fails: it has no pages, so there may be more of them than a node can list.
  fromIndex: {
    async query({ input, history }) {
      const range = toRowRange(input, ACCOUNT_PAGE)
      return {
        active: await queryActive(history, input.address),
        subscribedTo: await queryMemberships(history, input.address, range),
        created: await queryCreated(history, input.address, range),
        counts: await history.accountCounts(input.address),
      }
    },
    async atBlock({ input, chain, rows: { active, subscribedTo, created, counts } }) {
      const ids = [...new Set([...requireWhole(active), ...subscribedTo.ids])]
      const [read, creations] = await Promise.all([
        chain.read.membershipsById(input.address, ids),
        chain.read.subscriptionsById(created.ids),
      ])
      const { nextUncheckedDay, callerFee, wallet } = read
      const rows = new Map(read.rows.map((row) => [row.terms.id, row]))
      const listed = (list: IndexedList) =>
        list.ids.flatMap((id) => {
          const row = rows.get(id)
          return row === undefined ? [] : [toAccountSubscription(row, list)]
        })
      const state = {
        nextUncheckedDay,
        callerFee,
        wallet,
        // Unknown: so many subscriptions may be on more due lists than a node can read in one call.
        dueOrder: [],
        subscribedTo: listed(active),
        created: creations.rows.map((row) => toAccountSubscription(row, created)),
        createdCount: counts.created,
      }
      return toAnswer(input, state, {
        memberships: listed(subscribedTo),
        subscribedToCount: counts.subscribedTo,
        today: chain.today,
      })
    },
  },
})

/** The answer, from either source: `page` has the memberships to show, `state` all that are charged, because they share the money. */
function toAnswer(
  input: z.output<typeof Input>,
  state: AccountState,
  page: { memberships: readonly AccountMembership[]; subscribedToCount: number; today: number },
) {
  const { memberships, subscribedToCount, today } = page
  const coverage = coverageIn(state)
  const at = { nextUncheckedDay: state.nextUncheckedDay, today }
  return {
    account: input.address,
    subscribedTo: memberships.map((row) => ({
      ...toAccountRow(row, at),
      feeBalance: protocolQuantity(row.feeBalance, row.token),
      tokenPaused: row.token.paused,
      ...(coverage.get(row.terms.id) ?? { covers: null, allowanceCovers: null }),
    })),
    subscribedToCount,
    created: state.created.map((row) => toAccountRow(row, at)),
    createdCount: state.createdCount,
    ...toNextPlace(toRowRange(input, ACCOUNT_PAGE), Math.max(subscribedToCount, state.createdCount)),
    ...tokenWarnings([...memberships, ...state.created].map((row) => row.token)),
  }
}

/** How long the wallet pays for each charged membership, by id. All in one token share the money, so they are calculated together. */
function coverageIn(state: AccountState) {
  const { nextUncheckedDay, callerFee, dueOrder } = state
  const charged = inRemitOrder(state.subscribedTo.filter(isCharged).map(withId), dueOrder)
  return new Map(
    state.wallet.flatMap(({ token, allowance, balance }) => {
      const sharing = charged.filter((row) => row.token.address === token)
      const [first] = sharing
      if (first === undefined) return []
      const { decimals } = first.token
      const shared = { subscriptions: sharing.map(toCharged), decimals, callerFee, nextUncheckedDay }
      const covers = coverageOf({ ...shared, means: { allowance, balance } })
      // `balance: null`: as if there were money enough.
      const allowanceCovers = coverageOf({ ...shared, means: { allowance, balance: null } })
      return sharing.map(
        ({ id }) =>
          [
            id,
            {
              covers: toCovers(covers(id)),
              allowanceCovers: toAllowanceCovers(allowanceCovers(id)),
            },
          ] as const,
      )
    }),
  )
}

function withId(row: AccountMembership) {
  return { ...row, id: row.terms.id }
}

function membershipText(row: z.output<typeof Membership>): string {
  const { subscription, feeBalance, tokenPaused, covers } = row
  const lasts =
    covers === null || covers.failsOn === null
      ? ''
      : `, ${covers.periods} charges are covered, then ${covers.limitedBy} fails on ${dayText(covers.failsOn)}`
  return `${rowText(row)}, fee balance ${amountText(feeBalance, subscription.token)}${tokenPaused ? ', the token is paused' : lasts}`
}
