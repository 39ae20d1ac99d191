import { type Address, concatHex, getAddress, type Hex, keccak256, zeroAddress } from 'viem'
import type { ChainReads, TokenFacts } from '../../core/ports/chainReads.ts'
import { TokenNotApprovedError } from '../../errors/chain.ts'
import type { SubscriptionTerms } from '../../protocol/subscription.ts'
import { BlockCache } from '../block/blockCache.ts'
import type { FactStore } from '../block/facts.ts'
import type { Head } from '../head/blockHeader.ts'
import { lensAt } from './lens.ts'
import type { LensCaller } from './lensCaller.ts'
import { readAccount, readAccountSubscriptions } from './readAccounts.ts'
import { readBacklog } from './readBacklog.ts'
import { readFeeBalances, readMembershipsById } from './readIndexed.ts'
import {
  readCreateState,
  readProviderState,
  readSigner,
  readStanding,
  readWalletState,
} from './readSigners.ts'
import {
  readDue,
  readFeeBalance,
  readSettings,
  readSubscribers,
  readSubscription,
} from './readSubscriptions.ts'
import { readTokens } from './readTokens.ts'

/** A few thousand answers serve all callers between two heads. */
const MOST_ANSWERS = 5_000
/** Rows (of some 500 bytes) that all answers may have together. */
const MOST_ROWS = 250_000

/**
 * The reads of a chain, at any block. Each costs one HTTP request the first time, and none while the head stays,
 * whoever asks.
 * @param options.candidates tokens that the protocol may have approved
 */
export function createReads(options: {
  caller: LensCaller
  chainId: number
  protocol: Address
  candidates: readonly Address[]
  facts: FactStore
  onCacheAsked?: (known: boolean) => void
}): (head: Head, today: number) => ChainReads {
  const { caller, chainId, protocol, candidates, facts, onCacheAsked = () => {} } = options
  const cache = new BlockCache({ max: MOST_ANSWERS, maxRows: MOST_ROWS, onAsked: onCacheAsked })

  const keepRows = (rows: readonly { terms: SubscriptionTerms; token: TokenFacts }[]) => {
    for (const { terms, token } of rows) {
      facts.keepTerms(terms)
      facts.keepToken(token)
    }
    return rows.length
  }
  const keepTokens = (tokens: readonly TokenFacts[]) => {
    for (const token of tokens) facts.keepToken(token)
    return tokens.length
  }

  return (head, today) => {
    const lens = lensAt({ caller, head, chainId, protocol })
    const once = <Value extends object>(
      question: readonly [kind: string, ...rest: (string | number | boolean)[]],
      read: () => Promise<Value>,
      keep: (value: Value) => number,
    ) =>
      cache.get(head.hash, question.join(':'), async () => {
        const value = await read()
        return { value, rows: keep(value) }
      })

    const approved = (addresses: readonly Address[]) =>
      once(['tokens', digest(addresses)], () => readTokens(lens, addresses), keepTokens)

    const byId = (account: Address, ids: readonly Hex[]) =>
      once(
        ['memberships', account, digest(ids)],
        () => readMembershipsById(lens, account, ids),
        ({ rows }) => keepRows(rows),
      )

    return {
      protocol: () =>
        once(
          ['protocol'],
          () => readSettings(lens),
          () => 1,
        ),
      subscription: (id) =>
        once(
          ['subscription', id],
          () => readSubscription(lens, id),
          (state) => keepRows([state]),
        ),
      subscribers: (id) =>
        once(
          ['subscribers', id],
          () => readSubscribers(lens, id),
          (state) => keepRows([state]) + state.subscribers.length,
        ),
      feeBalance: (id, subscriber) =>
        once(
          ['feeBalance', id, subscriber],
          () => readFeeBalance(lens, id, subscriber),
          (state) => keepRows([state]),
        ),
      due: (lists) =>
        once(
          ['due', ...lists.map(({ frequency, dueDay }) => `${frequency}.${dueDay}`)],
          () => readDue(lens, lists),
          (found) => found.flatMap(({ subscriptionIds }) => subscriptionIds).length,
        ),
      account: (account) =>
        once(
          ['account', account],
          () => readAccount(lens, account),
          (state) => keepRows(state.subscribedTo) + keepRows(state.created),
        ),
      accountSubscriptions: (account, bySubscriber) =>
        once(
          ['accountSubscriptions', account, bySubscriber],
          () => readAccountSubscriptions(lens, account, bySubscriber),
          ({ rows }) => keepRows(rows),
        ),
      subscriptionsById: (ids) => byId(zeroAddress, ids),
      membershipsById: byId,
      feeBalances: (id, accounts) =>
        once(
          ['feeBalances', id, digest(accounts)],
          () => readFeeBalances(lens, id, accounts),
          (state) => keepRows([state]) + state.subscribers.length,
        ),
      tokens: (others = []) => approved([...candidates, ...others.map((address) => getAddress(address))]),
      lastingTokens: async (addresses) => {
        const known = (address: Address) => facts.token(address)
        const unread = addresses.filter((address) => known(address) === undefined)
        const read = unread.length === 0 ? [] : await approved(unread)
        const byAddress = new Map(read.map((token) => [token.address, token]))
        return new Map(
          addresses.flatMap((address) => {
            // A reorg may have emptied the facts since the read.
            const token = known(address) ?? byAddress.get(getAddress(address))
            return token === undefined ? [] : [[address, token]]
          }),
        )
      },
      token: async (address) => {
        const [token] = await approved([address])
        if (token === undefined) throw new TokenNotApprovedError(address, chainId)
        return token
      },
      standing: (id, account, signer) =>
        once(
          ['standing', id, account, signer],
          () => readStanding(lens, id, { account, signer }),
          (state) => keepRows([state, ...state.memberships]),
        ),
      providerState: (id, signer) =>
        once(
          ['providerState', id, signer],
          () => readProviderState(lens, id, signer),
          (state) => keepRows([state]),
        ),
      createState: (token, provider) =>
        once(
          ['createState', token, provider],
          () => readCreateState(lens, token, provider),
          (state) => keepTokens(state.token ? [state.token] : []),
        ),
      walletState: (token, wallet) =>
        once(
          ['walletState', token, wallet],
          () => readWalletState(lens, token, wallet),
          ({ approved, memberships }) => keepTokens(approved ? [approved.token] : []) + keepRows(memberships),
        ),
      signer: (signer) =>
        once(
          ['signer', signer],
          () => readSigner(lens, signer),
          () => 1,
        ),
      backlog: (account) =>
        once(
          // A day can end without a new block.
          ['backlog', account, today],
          () => readBacklog(lens, account, today),
          ({ lists, wallets }) => keepRows(lists.flatMap(({ entries }) => entries)) + wallets.length,
        ),
    }
  }
}

/** A key that is short for any number of ids. */
function digest(parts: readonly Hex[]): Hex {
  return keccak256(concatHex(parts))
}
