import type { Address as AccountAddress, Hex } from 'viem'
import * as z from 'zod'
import type { AccountState } from '../../core/chainReads.ts'
import { defineOperation } from '../../core/operation.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import { allowanceCovers, type Coverage } from '../../protocol/allowance.ts'
import { Address } from '../../schema/address.ts'
import { Quantity } from '../../schema/amount.ts'
import { Day } from '../../schema/numbers.ts'
import { toDayOrNull } from '../protocol/day.ts'
import { amountText, dayText, pageText } from '../subscriptions/subscriptionText.ts'
import { protocolQuantity, tokenWarnings } from '../tokens/token.ts'
import { AccountRow, isCharged, rowText, toAccountRow } from './accountRow.ts'
import { queryCreated, queryMemberships, requireWhole, toAccountSubscription } from './indexedAccount.ts'

const Covers = z
  .object({
    periods: z.int().min(0).describe('Charges by remit that the allowance still pays for.'),
    until: Day.nullable().describe('The day of the last of them; null where it does not pay for one.'),
  })
  .nullable()
  .describe(
    'How far the wallet’s allowance carries this subscription beside its others in the same token; ' +
      'null where it has no end, or where nothing is charged any more.',
  )

const Membership = AccountRow.extend({ feeBalance: Quantity, allowanceCovers: Covers })

/** An account's whole standing: what it subscribes to, with fee balances and allowances, and what it created. */
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
    return toAnswer(input.address, await chain.read.account(input.address))
  },
  // The contract's view has no paging, so that an account may have more than a node can list.
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
      const { nextUncheckedDay, wallet } = memberships
      return toAnswer(input.address, {
        nextUncheckedDay,
        wallet,
        subscribedTo: memberships.rows.map((row) => toAccountSubscription(row, subscribedTo)),
        created: creations.rows.map((row) => toAccountSubscription(row, created)),
      })
    },
  },
})

function toAnswer(account: AccountAddress, state: AccountState) {
  const covers = coverage(state)
  return {
    account,
    subscribedTo: state.subscribedTo.map((row) => ({
      ...toAccountRow(row, state.nextUncheckedDay),
      feeBalance: protocolQuantity(row.feeBalance, row.token),
      allowanceCovers: toCovers(covers.get(row.terms.id)),
    })),
    created: state.created.map((row) => toAccountRow(row, state.nextUncheckedDay)),
    ...tokenWarnings([...state.subscribedTo, ...state.created].map((row) => row.token)),
  }
}

/** Every subscription in one token draws on the same allowance, so they are looked at together. */
function coverage(state: AccountState): ReadonlyMap<Hex, Coverage | null> {
  const charged = state.subscribedTo.filter(isCharged)
  return new Map(
    state.wallet.flatMap(({ token, allowance }) => {
      const sharing = charged.filter((row) => row.token.address === token)
      const [first] = sharing
      if (first === undefined) return []
      const { decimals } = first.token
      const subscriptions = sharing.map((row) => row.terms)
      const { nextUncheckedDay } = state
      return [...allowanceCovers({ subscriptions, decimals, allowance, nextUncheckedDay })]
    }),
  )
}

function toCovers(coverage: Coverage | null | undefined): z.output<typeof Covers> {
  if (coverage === undefined || coverage === null) return null
  return { periods: coverage.periods, until: toDayOrNull(coverage.until ?? undefined) }
}

function membershipText(row: z.output<typeof Membership>): string {
  const { subscription, feeBalance, allowanceCovers } = row
  const covers =
    allowanceCovers === null
      ? ''
      : `, the allowance covers ${allowanceCovers.periods} charges until ${dayText(allowanceCovers.until)}`
  return `${rowText(row)}, fee balance ${amountText(feeBalance, subscription.token)}${covers}`
}
