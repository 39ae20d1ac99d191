import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type {
  AccountMembership,
  AccountState,
  AccountSubscription,
  SubscribeState,
  WalletToken,
} from '../core/chainReads.ts'
import { SubscriptionNotFoundError } from '../errors/chain.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'
import {
  accountRow,
  existingTerms,
  type LensToken,
  protocolSettings,
  type SubViewRow,
  TokenMap,
  toCount,
} from './lensRows.ts'

/** A page of an account, as the lens answers it. */
interface AccountPage {
  readonly subscribedTo: readonly SubViewRow[]
  readonly feeBalances: readonly bigint[]
  readonly created: readonly SubViewRow[]
  readonly tokens: readonly LensToken[]
  readonly holdings: readonly WalletToken[]
  readonly next: bigint
}

interface AccountLists {
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

/** Throws SubscriptionNotFoundError. */
export async function readSubscribeState(lens: Lens, id: Hex, wallet: Address): Promise<SubscribeState> {
  const pages = await askPages(
    0n,
    (start) => {
      const args = [lens.protocol, id, wallet, start] as const
      const question = encodeFunctionData({ abi: lensAbi, functionName: 'subscribeState', args })
      return lens.ask(question, (data) =>
        decodeFunctionResult({ abi: lensAbi, functionName: 'subscribeState', data }),
      )
    },
    ([, , , , , page]) => (page.next === 0n ? undefined : page.next),
  )
  const [first] = pages
  const terms = first && existingTerms(first[1])
  if (first === undefined || terms === undefined) throw new SubscriptionNotFoundError(id, lens.chainId)
  const [, , struct, nativeBalance, isPaging] = first
  const lists = joinPages(pages.map(([, , , , , page]) => page))
  const settings = protocolSettings(struct)
  const own = lists.subscribedTo.find((row) => row.terms.id === id)
  return {
    terms,
    token: lists.tokens.get(terms.token),
    nextUncheckedDay: settings.nextUncheckedDay,
    settings,
    status: own?.status ?? 'ACTIVE',
    // Whoever is in the set and not listed has an ACTIVE row, and nobody else has. The list of subscribers
    // would tell the same, but panics at times.
    isSubscribed: own?.status === 'ACTIVE',
    isPaging,
    wallet: holdingOf(lists.wallet, terms.token),
    nativeBalance,
    memberships: lists.subscribedTo,
  }
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
      return lens.ask(question, (data) =>
        decodeFunctionResult({ abi: lensAbi, functionName: 'account', data }),
      )
    },
    ([, , page]) => (page.next === 0n ? undefined : page.next),
  )
}

function nextUncheckedDayOf(pages: readonly (readonly [unknown, bigint, unknown])[]): number {
  return toCount(pages[0]?.[1] ?? 0n)
}

function joinPages(pages: readonly AccountPage[]): AccountLists {
  const tokens = new TokenMap(pages.flatMap((page) => page.tokens))
  const feeBalances = pages.flatMap((page) => page.feeBalances)
  const subscribedTo = pages
    .flatMap((page) => page.subscribedTo)
    .map((row, index) => ({ ...accountRow(row, tokens), feeBalance: at(feeBalances, index) }))
  const created = pages.flatMap((page) => page.created).map((row) => accountRow(row, tokens))
  const holdings = new Map(pages.flatMap((page) => page.holdings.map((row) => [row.token, row] as const)))
  return { subscribedTo, created, wallet: [...holdings.values()], tokens }
}

function holdingOf(wallet: readonly WalletToken[], token: Address): WalletToken {
  const holding = wallet.find((row) => row.token === token)
  if (holding === undefined) throw new RangeError(`the answer lacks what the wallet holds of ${token}`)
  return holding
}

function at(values: readonly bigint[], index: number): bigint {
  const value = values[index]
  if (value === undefined) throw new RangeError('the answer lacks a fee balance')
  return value
}
