import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { AccountMembership, AccountState, AccountSubscription, WalletToken } from '../core/chainReads.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'
import { accountRow, type LensToken, type SubViewRow, TokenMap, toCount } from './lensRows.ts'

/** A page of an account, as the lens answers it. */
interface AccountPage {
  readonly subscribedTo: readonly SubViewRow[]
  readonly feeBalances: readonly bigint[]
  readonly created: readonly SubViewRow[]
  readonly tokens: readonly LensToken[]
  readonly holdings: readonly WalletToken[]
  readonly next: bigint
}

export interface AccountLists {
  readonly subscribedTo: readonly AccountMembership[]
  readonly created: readonly AccountSubscription[]
  readonly wallet: readonly WalletToken[]
  readonly tokens: TokenMap
}

export async function readAccount(lens: Lens, account: Address): Promise<AccountState> {
  const pages = await askAccount(lens, { account, subscribed: true, created: true, withMoney: true })
  const { subscribedTo, created, wallet } = joinPages(pages.map(([, , page]) => page))
  return { nextUncheckedDay: nextUncheckedDayOf(pages), subscribedTo, created, wallet }
}

export async function readAccountSubscriptions(
  lens: Lens,
  account: Address,
  bySubscriber: boolean,
): Promise<{ nextUncheckedDay: number; rows: readonly AccountSubscription[] }> {
  const lists = { subscribed: bySubscriber, created: !bySubscriber, withMoney: false }
  const pages = await askAccount(lens, { account, ...lists })
  const tokens = new TokenMap(pages.flatMap(([, , page]) => page.tokens))
  const rows = pages.flatMap(([, , page]) => [...page.subscribedTo, ...page.created])
  return { nextUncheckedDay: nextUncheckedDayOf(pages), rows: rows.map((row) => accountRow(row, tokens)) }
}

function askAccount(
  lens: Lens,
  query: { account: Address; subscribed: boolean; created: boolean; withMoney: boolean },
) {
  return askPages(
    0n,
    (start) => {
      const args = [lens.protocol, { ...query, start }] as const
      const question = encodeFunctionData({ abi: lensAbi, functionName: 'account', args })
      const decode = (data: Hex) => decodeFunctionResult({ abi: lensAbi, functionName: 'account', data })
      return lens.ask(question, decode, { boundless: 'getAccountSubscriptions' })
    },
    ([, , page]) => (page.next === 0n ? undefined : page.next),
  )
}

function nextUncheckedDayOf(pages: readonly (readonly [unknown, bigint, unknown])[]): number {
  return toCount(pages[0]?.[1] ?? 0n)
}

/** A whole account out of its pages. */
export function joinPages(pages: readonly AccountPage[]): AccountLists {
  const tokens = new TokenMap(pages.flatMap((page) => page.tokens))
  const feeBalances = pages.flatMap((page) => page.feeBalances)
  const subscribedTo = pages
    .flatMap((page) => page.subscribedTo)
    .map((row, index) => ({ ...accountRow(row, tokens), feeBalance: at(feeBalances, index) }))
  const created = pages.flatMap((page) => page.created).map((row) => accountRow(row, tokens))
  const holdings = new Map(pages.flatMap((page) => page.holdings.map((row) => [row.token, row] as const)))
  return { subscribedTo, created, wallet: [...holdings.values()], tokens }
}

function at(values: readonly bigint[], index: number): bigint {
  const value = values[index]
  if (value === undefined) throw new RangeError('the answer lacks a fee balance')
  return value
}
