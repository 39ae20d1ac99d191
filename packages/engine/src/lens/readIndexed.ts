import { IndexedLens } from '@remit/contracts/IndexedLens'
import { subscriptionTerms } from '@remit/protocol/subscription'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { SubscriptionNotFoundError } from '../errors/chain.ts'
import type { IndexedTerms, WalletToken } from '../ports/chainReads.ts'
import { askRows, type Lens } from './lens.ts'
import { existingTerms, TokenMap } from './lensRows.ts'
import { feeBalanceAt, settingsOf } from './readAccounts.ts'
import type { SubscribersState } from './readSubscriptions.ts'

// Reads of ids and accounts that the index knows, for when the contract's own lists cannot be read.

const { abi, deployedBytecode: code } = IndexedLens

/** How many ids or accounts one question may name, so that it fits into a creation's code beside the lens. */
const MOST_IN_QUESTION = 400

/** What `ChainReads.membershipsById` answers. */
interface MembershipsState {
  readonly nextUncheckedDay: number
  readonly callerFee: bigint
  readonly rows: readonly (IndexedTerms & { readonly feeBalance: bigint })[]
  readonly wallet: readonly WalletToken[]
}

/**
 * These subscriptions, with what the account has in each. Some thousands take one HTTP request if the node's gas
 * allows.
 * @param account the zero address for no account: fee balances are 0 then, and `wallet` is empty
 */
export async function readMembershipsById(
  lens: Lens,
  account: Address,
  ids: readonly Hex[],
): Promise<MembershipsState> {
  // At least one question, because the answer also holds the next unchecked day.
  const parts = ids.length === 0 ? [[]] : inParts(ids)
  const pages = (await Promise.all(parts.map((part) => askSubscriptions(lens, account, part)))).flat()
  const tokens = new TokenMap(pages.flatMap(({ page }) => page.tokens))
  // What the account has of each token. A token that is in many pages comes with each of them.
  const holdings = new Map(
    pages.flatMap(({ page }) => page.holdings.map((holding) => [holding.token, holding] as const)),
  )
  const { nextUncheckedDay, callerFee } = settingsOf(pages)
  return {
    nextUncheckedDay,
    callerFee,
    rows: pages.flatMap(({ page }) =>
      page.subscriptions.map((struct, index) => {
        const terms = subscriptionTerms(struct)
        const feeBalance = account === zeroAddress ? 0n : feeBalanceAt(page.feeBalances, index)
        return { terms, token: tokens.get(terms.token), feeBalance }
      }),
    ),
    wallet: [...holdings.values()],
  }
}

function askSubscriptions(lens: Lens, account: Address, ids: readonly Hex[]) {
  return askRows((start) => {
    const args = [lens.protocol, { account, ids, start }] as const
    const question = encodeFunctionData({ abi, functionName: 'subscriptionsById', args })
    const decode = (data: Hex) => {
      const [, settings, page] = decodeFunctionResult({ abi, functionName: 'subscriptionsById', data })
      return { settings, page, next: page.next }
    }
    return lens.ask(question, decode, { code })
  })
}

/** The fee balances of these accounts in a subscription. Throws SubscriptionNotFoundError. */
export async function readFeeBalances(
  lens: Lens,
  id: Hex,
  accounts: readonly Address[],
): Promise<SubscribersState> {
  const parts = accounts.length === 0 ? [[]] : inParts(accounts)
  const pages = (await Promise.all(parts.map((part) => askFeeBalances(lens, id, part)))).flat()
  const [first] = pages
  const terms = first && existingTerms(first.terms)
  if (first === undefined || terms === undefined) throw new SubscriptionNotFoundError(id, lens.chainId)
  const feeBalances = pages.flatMap((page) => page.feeBalances)
  return {
    terms,
    token: new TokenMap(first.tokens).get(terms.token),
    subscribers: accounts.map((subscriber, index) => ({
      subscriber,
      feeBalance: feeBalanceAt(feeBalances, index),
    })),
  }
}

function askFeeBalances(lens: Lens, id: Hex, accounts: readonly Address[]) {
  const call = { abi, functionName: 'feeBalances' } as const
  return askRows((start) => {
    const args = [lens.protocol, id, accounts, start] as const
    const question = encodeFunctionData({ ...call, args })
    const decode = (data: Hex) => {
      const [, terms, tokens, feeBalances, next] = decodeFunctionResult({ ...call, data })
      return { terms, tokens, feeBalances, next }
    }
    return lens.ask(question, decode, { code })
  })
}

function inParts<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = []
  for (let from = 0; from < items.length; from += MOST_IN_QUESTION) {
    parts.push(items.slice(from, from + MOST_IN_QUESTION))
  }
  return parts
}
