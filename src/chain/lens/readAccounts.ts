import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type {
  AccountMembership,
  AccountState,
  AccountSubscription,
  ProtocolSettings,
  WalletToken,
} from '../../core/ports/chainReads.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'
import { accountRow, type LensToken, protocolSettings, type SubViewRow, TokenMap } from './lensRows.ts'

/** A page of an account, as the lens answers it. */
interface AccountPage {
  readonly subscribedTo: readonly SubViewRow[]
  readonly feeBalances: readonly bigint[]
  readonly created: readonly SubViewRow[]
  readonly tokens: readonly LensToken[]
  readonly holdings: readonly WalletToken[]
  readonly dueOrder: readonly Hex[]
  readonly next: bigint
}

export interface AccountLists {
  readonly subscribedTo: readonly AccountMembership[]
  readonly created: readonly AccountSubscription[]
  readonly wallet: readonly WalletToken[]
  readonly dueOrder: readonly Hex[]
  readonly tokens: TokenMap
}

export async function readAccount(lens: Lens, account: Address): Promise<AccountState> {
  const pages = await askAccount(lens, { account, subscribed: true, created: true, withMoney: true })
  const { tokens: _, ...lists } = joinPages(pages.map(([, , page]) => page))
  const { nextUncheckedDay, callerFee } = settingsOf(pages)
  return { nextUncheckedDay, callerFee, ...lists }
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
  const { nextUncheckedDay } = settingsOf(pages)
  return { nextUncheckedDay, rows: rows.map((row) => accountRow(row, tokens)) }
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

/** The protocol's settings, which every page of an answer holds. */
export function settingsOf(
  pages: readonly (readonly [unknown, Parameters<typeof protocolSettings>[0], unknown])[],
): ProtocolSettings {
  const [first] = pages
  if (first === undefined) throw new RangeError('the answer has no page')
  return protocolSettings(first[1])
}

/** The lists of an account, joined from its pages. */
export function joinPages(pages: readonly AccountPage[]): AccountLists {
  const tokens = new TokenMap(pages.flatMap((page) => page.tokens))
  const feeBalances = pages.flatMap((page) => page.feeBalances)
  const subscribedTo = pages
    .flatMap((page) => page.subscribedTo)
    .map((row, index) => ({ ...accountRow(row, tokens), feeBalance: at(feeBalances, index) }))
  const created = pages.flatMap((page) => page.created).map((row) => accountRow(row, tokens))
  const holdings = new Map(pages.flatMap((page) => page.holdings.map((row) => [row.token, row] as const)))
  const dueOrder = pages.flatMap((page) => page.dueOrder)
  return { subscribedTo, created, wallet: [...holdings.values()], dueOrder, tokens }
}

function at(values: readonly bigint[], index: number): bigint {
  const value = values[index]
  if (value === undefined) throw new RangeError('the answer lacks a fee balance')
  return value
}
