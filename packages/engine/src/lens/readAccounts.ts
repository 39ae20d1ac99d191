import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type {
  AccountMembership,
  AccountState,
  AccountSubscription,
  ProtocolSettings,
  RowRange,
  WalletToken,
} from '../ports/chainReads.ts'
import { askRows, type Lens, lensAbi } from './lens.ts'
import {
  accountRow,
  type LensToken,
  protocolSettings,
  type SubViewRow,
  TokenMap,
  toCount,
} from './lensRows.ts'

const ALL_ROWS: RowRange = { skip: 0, first: Number.MAX_SAFE_INTEGER }

/** A page of an account, as the lens answers it. */
interface AccountPage {
  readonly subscribedTo: readonly SubViewRow[]
  /** In protocol units, one for each row of `subscribedTo`, in the same order; none without money. */
  readonly feeBalances: readonly bigint[]
  readonly created: readonly SubViewRow[]
  readonly tokens: readonly LensToken[]
  /** What the account has of each token in the rows, and may let the contract take. */
  readonly holdings: readonly WalletToken[]
  /** As `dueOrder` of an AccountState; on the first page only, and empty without money. */
  readonly dueOrder: readonly Hex[]
  /** Where the next page begins; 0 where there is none. */
  readonly next: bigint
  readonly subscribedCount: bigint
  readonly createdCount: bigint
}

/** The same of all pages together. */
interface AccountLists {
  readonly subscribedTo: readonly AccountMembership[]
  readonly created: readonly AccountSubscription[]
  readonly wallet: readonly WalletToken[]
  readonly dueOrder: readonly Hex[]
  readonly tokens: TokenMap
}

/** All memberships of an account, and those that it created of the range. */
export async function readAccount(lens: Lens, account: Address, range = ALL_ROWS): Promise<AccountState> {
  const lists = { subscribed: true, created: range.first > 0, withMoney: true }
  const pages = await askAccount(lens, { account, ...lists }, range)
  const { tokens: _, ...joined } = joinPages(pages.map(({ page }) => page))
  const { nextUncheckedDay, callerFee } = settingsOf(pages)
  return { nextUncheckedDay, callerFee, ...joined, createdCount: countOf(pages, 'createdCount') }
}

/** A range of one of an account's two lists, without its money. */
export async function readAccountSubscriptions(
  lens: Lens,
  account: Address,
  bySubscriber: boolean,
  range = ALL_ROWS,
): Promise<{ nextUncheckedDay: number; count: number; rows: readonly AccountSubscription[] }> {
  const lists = { subscribed: bySubscriber, created: !bySubscriber, withMoney: false }
  const pages = await askAccount(lens, { account, ...lists }, range)
  const tokens = new TokenMap(pages.flatMap(({ page }) => page.tokens))
  const rows = pages.flatMap(({ page }) => [...page.subscribedTo, ...page.created])
  const { nextUncheckedDay } = settingsOf(pages)
  const count = countOf(pages, bySubscriber ? 'subscribedCount' : 'createdCount')
  return { nextUncheckedDay, count, rows: rows.map((row) => accountRow(row, tokens)) }
}

/** The length of a whole list, which every page of an answer holds. */
function countOf(
  pages: readonly { readonly page: AccountPage }[],
  list: 'subscribedCount' | 'createdCount',
): number {
  const [first] = pages
  if (first === undefined) throw new RangeError('the answer has no page')
  return toCount(first.page[list])
}

/** Asks for page after page of an account's lists. The lens begins each where the one before had no more gas. */
function askAccount(
  lens: Lens,
  query: { account: Address; subscribed: boolean; created: boolean; withMoney: boolean },
  { skip, first }: RowRange,
) {
  const range = { from: BigInt(skip), most: BigInt(first) }
  return askRows((start) => {
    const args = [lens.protocol, { ...query, ...range, start }] as const
    const question = encodeFunctionData({ abi: lensAbi, functionName: 'account', args })
    const decode = (data: Hex) => {
      const [, settings, page] = decodeFunctionResult({ abi: lensAbi, functionName: 'account', data })
      return { settings, page, next: page.next }
    }
    return lens.ask(question, decode, { unboundedView: 'getAccountSubscriptions' })
  })
}

/** The protocol's settings, which every page of an answer holds. */
export function settingsOf(
  pages: readonly { readonly settings: Parameters<typeof protocolSettings>[0] }[],
): ProtocolSettings {
  const [first] = pages
  if (first === undefined) throw new RangeError('the answer has no page')
  return protocolSettings(first.settings)
}

/** The lists of an account, joined from its pages. */
export function joinPages(pages: readonly AccountPage[]): AccountLists {
  const tokens = new TokenMap(pages.flatMap((page) => page.tokens))
  const feeBalances = pages.flatMap((page) => page.feeBalances)
  const subscribedTo = pages
    .flatMap((page) => page.subscribedTo)
    .map((row, index) => ({ ...accountRow(row, tokens), feeBalance: feeBalanceAt(feeBalances, index) }))
  const created = pages.flatMap((page) => page.created).map((row) => accountRow(row, tokens))
  const holdings = new Map(
    pages.flatMap((page) => page.holdings.map((holding) => [holding.token, holding] as const)),
  )
  const dueOrder = pages.flatMap((page) => page.dueOrder)
  return { subscribedTo, created, wallet: [...holdings.values()], dueOrder, tokens }
}

/** Throws RangeError where the answer is too short. */
export function feeBalanceAt(feeBalances: readonly bigint[], index: number): bigint {
  const feeBalance = feeBalances[index]
  if (feeBalance === undefined) throw new RangeError('the answer lacks a fee balance')
  return feeBalance
}
