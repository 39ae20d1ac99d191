import type { Address as AccountAddress } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import type { AccountMembership, AccountState } from '../../core/ports/chainReads.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import { AccountRow, isCharged, rowText, toAccountRow } from '../../presentation/accountRow.ts'
import { AllowanceCovers, Covers, toAllowanceCovers, toCharged, toCovers } from '../../presentation/covers.ts'
import { amountText, dayText, pageText } from '../../presentation/subscriptionText.ts'
import { protocolQuantity, tokenWarnings } from '../../presentation/token.ts'
import { inRemitOrder } from '../../protocol/coverage/ChargeSchedule.ts'
import { coverageOf, ENDLESS } from '../../protocol/coverage/coverage.ts'
import { Address } from '../../schema/address.ts'
import { Quantity } from '../../schema/amount.ts'
import { queryCreated, queryMemberships, requireWhole, toAccountSubscription } from './indexedAccount.ts'

const Membership = AccountRow.extend({
  feeBalance: Quantity,
  covers: Covers.nullable().describe(
    'How far the wallet carries this subscription, by balance and allowance, beside its others in the same token. ' +
      'Money that may come in is not counted. null where nothing is charged any more.',
  ),
  allowanceCovers: AllowanceCovers.nullable().describe(
    'How far the allowance alone carries it; null where it has no end, or where nothing is charged any more.',
  ),
})

/** What an account subscribes to, with fee balances and allowances, and what it created. */
export const getAccount = defineOperation({
  name: 'get_account',
  effect: 'read',
  scope: 'chain',
  summary: 'An account’s subscriptions, as subscriber (with fee balances and allowances) and as provider',
  description: 'An account that never used the protocol has empty lists.',
  rest: { method: 'GET', path: '/accounts/:address' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ account, subscribedTo, created }) =>
      [
        pageText(`${account} subscribes to`, subscribedTo.map(membershipText)),
        pageText('It created', created.map(rowText)),
      ].join('\n'),
  },
  input: z.object({ address: Address.describe('The account.') }),
  errors: [ViewFailedError],
  output: z.object({
    account: Address,
    subscribedTo: z.array(Membership),
    created: z.array(AccountRow),
  }),
  async handle({ input, chain }) {
    return toAnswer(input.address, await chain.read.account(input.address), chain.today)
  },
  // The contract's view has no pages, so an account may have more subscriptions than a node can list.
  fromIndex: {
    query: async ({ input, history }) => ({
      subscribedTo: await queryMemberships(history, input.address),
      created: await queryCreated(history, input.address),
    }),
    async handle({ input, chain, rows: { subscribedTo, created } }) {
      const [memberships, creations] = await Promise.all([
        chain.read.membershipsById(input.address, requireWhole(subscribedTo)),
        chain.read.subscriptionsById(requireWhole(created)),
      ])
      const { nextUncheckedDay, callerFee, wallet } = memberships
      const state = {
        nextUncheckedDay,
        callerFee,
        wallet,
        // So many subscriptions may be on more due lists than a node can read in one call.
        dueOrder: [],
        subscribedTo: memberships.rows.map((row) => toAccountSubscription(row, subscribedTo)),
        created: creations.rows.map((row) => toAccountSubscription(row, created)),
      }
      return toAnswer(input.address, state, chain.today)
    },
  },
})

function toAnswer(account: AccountAddress, state: AccountState, today: number) {
  const coverage = coverageIn(state)
  const at = { nextUncheckedDay: state.nextUncheckedDay, today }
  return {
    account,
    subscribedTo: state.subscribedTo.map((row) => ({
      ...toAccountRow(row, at),
      feeBalance: protocolQuantity(row.feeBalance, row.token),
      ...(coverage.get(row.terms.id) ?? { covers: null, allowanceCovers: null }),
    })),
    created: state.created.map((row) => toAccountRow(row, at)),
    ...tokenWarnings([...state.subscribedTo, ...state.created].map((row) => row.token)),
  }
}

/** All subscriptions in one token share balance and allowance, so they are calculated together. */
function coverageIn(state: AccountState) {
  const { nextUncheckedDay, callerFee, dueOrder } = state
  const charged = inRemitOrder(state.subscribedTo.filter(isCharged).map(withId), dueOrder)
  return new Map(
    state.wallet.flatMap(({ token, allowance, balance }) => {
      const sharing = charged.filter((row) => row.token.address === token)
      const [first] = sharing
      if (first === undefined) return []
      const { decimals } = first.token
      const walk = { subscriptions: sharing.map(toCharged), decimals, callerFee, nextUncheckedDay }
      const covers = coverageOf({ ...walk, means: { allowance, balance } })
      const allowanceCovers = coverageOf({ ...walk, means: { allowance, balance: null } })
      return sharing.map(
        ({ id }) =>
          [
            id,
            {
              covers: toCovers(covers.get(id) ?? ENDLESS),
              allowanceCovers: toAllowanceCovers(allowanceCovers.get(id) ?? ENDLESS),
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
  const { subscription, feeBalance, covers } = row
  const lasts =
    covers === null || covers.failsOn === null
      ? ''
      : `, ${covers.periods} charges are covered, then ${covers.limitedBy} fails on ${dayText(covers.failsOn)}`
  return `${rowText(row)}, fee balance ${amountText(feeBalance, subscription.token)}${lasts}`
}
