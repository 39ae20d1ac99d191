import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { SubscriptionNotFoundError } from '../errors/chain.ts'
import type {
  CreateState,
  MembershipState,
  ProviderState,
  WalletState,
  WalletToken,
} from '../ports/chainReads.ts'
import { askRows, type Lens, lensAbi } from './lens.ts'
import { existingTerms, protocolSettings, TokenMap, toCount, tokenFacts } from './lensRows.ts'
import { joinPages } from './readAccounts.ts'

// What prepares read: one question each for all that the signer, the account and the subscription bring to the plan.

/** What every signer needs: its balance for gas. */
export async function readSigner(lens: Lens, signer: Address): Promise<{ nativeBalance: bigint }> {
  const question = encodeFunctionData({ abi: lensAbi, functionName: 'nativeBalance', args: [signer] })
  return lens.ask(question, (data) => {
    const [, nativeBalance] = decodeFunctionResult({ abi: lensAbi, functionName: 'nativeBalance', data })
    return { nativeBalance }
  })
}

export async function readCreateState(lens: Lens, token: Address, provider: Address): Promise<CreateState> {
  const call = { abi: lensAbi, functionName: 'createState' } as const
  const question = encodeFunctionData({ ...call, args: [lens.protocol, token, provider] })
  return lens.ask(question, (data) => {
    const [, [found], settings, nativeBalance] = decodeFunctionResult({ ...call, data })
    return {
      token: found && tokenFacts(found),
      settings: protocolSettings(settings),
      nativeBalance,
    }
  })
}

/** Throws SubscriptionNotFoundError. */
export async function readProviderState(lens: Lens, id: Hex, signer: Address): Promise<ProviderState> {
  const call = { abi: lensAbi, functionName: 'providerState' } as const
  const question = encodeFunctionData({ ...call, args: [lens.protocol, id, signer] })
  const state = await lens.ask(question, (data) => {
    const [, termsStruct, tokens, nextUncheckedDay, nativeBalance] = decodeFunctionResult({ ...call, data })
    const terms = existingTerms(termsStruct)
    if (terms === undefined) return undefined
    const token = new TokenMap(tokens).get(terms.token)
    return { terms, token, nextUncheckedDay: toCount(nextUncheckedDay), nativeBalance }
  })
  if (state === undefined) throw new SubscriptionNotFoundError(id, lens.chainId)
  return state
}

/** Throws SubscriptionNotFoundError. */
export async function readMembershipState(
  lens: Lens,
  id: Hex,
  { account, signer }: { readonly account: Address; readonly signer: Address },
): Promise<MembershipState> {
  const call = { abi: lensAbi, functionName: 'membershipState' } as const
  const pages = await askRows((start) => {
    const args = [lens.protocol, id, account, signer, start] as const
    const question = encodeFunctionData({ ...call, args })
    return lens.ask(question, (data) => {
      const [, termsStruct, settingsStruct, nativeBalance, isPaging, page] = decodeFunctionResult({
        ...call,
        data,
      })
      return { termsStruct, settingsStruct, nativeBalance, isPaging, page, next: page.next }
    })
  })
  const [first] = pages
  const terms = first && existingTerms(first.termsStruct)
  if (first === undefined || terms === undefined) throw new SubscriptionNotFoundError(id, lens.chainId)
  const { settingsStruct, nativeBalance, isPaging } = first
  const lists = joinPages(pages.map(({ page }) => page))
  const settings = protocolSettings(settingsStruct)
  const own = lists.subscribedTo.find((row) => row.terms.id === id)
  return {
    terms,
    token: lists.tokens.get(terms.token),
    nextUncheckedDay: settings.nextUncheckedDay,
    settings,
    status: own?.status ?? 'ACTIVE',
    // The account's own row is ACTIVE exactly if it is in the contract's set of subscribers and not on its unsubscribed
    // list. The view of the subscribers says the same, but can panic while accounts are on that list.
    isSubscribed: own?.status === 'ACTIVE',
    isPaging,
    // A subscription never leaves the account's list, so an account without a row has no fee balance.
    feeBalance: own?.feeBalance ?? 0n,
    wallet: holdingOf(lists.wallet, terms.token),
    nativeBalance,
    memberships: lists.subscribedTo,
    dueOrder: lists.dueOrder,
  }
}

export async function readWalletState(lens: Lens, token: Address, wallet: Address): Promise<WalletState> {
  const call = { abi: lensAbi, functionName: 'walletState' } as const
  const pages = await askRows((start) => {
    const args = [lens.protocol, token, wallet, start] as const
    const question = encodeFunctionData({ ...call, args })
    return lens.ask(question, (data) => {
      const [, tokens, nativeBalance, page] = decodeFunctionResult({ ...call, data })
      return { tokens, nativeBalance, page, next: page.next }
    })
  })
  const { tokens, nativeBalance } = pages[0] ?? { tokens: [], nativeBalance: 0n }
  const [approved] = tokens.map(tokenFacts)
  if (approved === undefined) return { nativeBalance, approved, memberships: [], dueOrder: [] }
  const lists = joinPages(pages.map(({ page }) => page))
  return {
    nativeBalance,
    approved: { token: approved, wallet: holdingOf(lists.wallet, approved.address) },
    memberships: lists.subscribedTo,
    dueOrder: lists.dueOrder,
  }
}

function holdingOf(wallet: readonly WalletToken[], token: Address): WalletToken {
  const holding = wallet.find((row) => row.token === token)
  if (holding === undefined) throw new RangeError(`the answer lacks what the wallet holds of ${token}`)
  return holding
}
