import { type Address, concatHex, getAddress, type Hex, keccak256, zeroAddress } from 'viem'
import type {
  AccountState,
  AccountSubscription,
  BacklogState,
  ChainReads,
  CreateState,
  DueList,
  ProtocolSettings,
  ProviderState,
  Standing,
  SubscriptionState,
  TokenFacts,
  WalletState,
} from '../../core/chainReads.ts'
import { TokenNotApprovedError } from '../../errors/chain.ts'
import type { SubscriptionTerms } from '../../protocol/subscription.ts'
import { BlockCache } from '../block/blockCache.ts'
import type { FactStore } from '../block/facts.ts'
import type { Head } from '../head/blockHeader.ts'
import { lensAt } from './lens.ts'
import type { LensCaller } from './lensCaller.ts'
import { readAccount, readAccountSubscriptions } from './readAccounts.ts'
import { readBacklog } from './readBacklog.ts'
import { type MembershipsState, readFeeBalances, readMembershipsById } from './readIndexed.ts'
import {
  readCreateState,
  readProviderState,
  readSigner,
  readStanding,
  readWalletState,
} from './readSigners.ts'
import {
  type FeeBalanceState,
  readDue,
  readFeeBalance,
  readSettings,
  readSubscribers,
  readSubscription,
  type SubscribersState,
} from './readSubscriptions.ts'
import { readTokens } from './readTokens.ts'

/** A few hundred answers of each kind serve all callers between two heads. */
const MOST_ANSWERS = 500
/** Rows (of some 500 bytes) that the answers of one kind may have together. */
const MOST_ROWS = 100_000

/**
 * The reads of a chain, at whichever block: each costs one HTTP request the first time, and nothing as long as
 * the head stays, whoever asks.
 * @param options.candidates tokens that may be approved
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
  const caches = createCaches(onCacheAsked)

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
      cache: BlockCache<Value>,
      question: readonly (string | number | boolean)[],
      read: () => Promise<Value>,
      keep: (value: Value) => number,
    ) =>
      cache.get(head.hash, question.join(':'), async () => {
        const value = await read()
        return { value, rows: keep(value) }
      })

    const approved = (addresses: readonly Address[]) =>
      once(caches.tokens, [digest(addresses)], () => readTokens(lens, addresses), keepTokens)

    const byId = (account: Address, ids: readonly Hex[]) =>
      once(
        caches.memberships,
        [account, digest(ids)],
        () => readMembershipsById(lens, account, ids),
        ({ rows }) => keepRows(rows),
      )

    return {
      protocol: () =>
        once(
          caches.protocol,
          [],
          () => readSettings(lens),
          () => 1,
        ),
      subscription: (id) =>
        once(
          caches.subscription,
          [id],
          () => readSubscription(lens, id),
          (state) => keepRows([state]),
        ),
      subscribers: (id) =>
        once(
          caches.subscribers,
          [id],
          () => readSubscribers(lens, id),
          (state) => keepRows([state]) + state.subscribers.length,
        ),
      feeBalance: (id, subscriber) =>
        once(
          caches.feeBalance,
          [id, subscriber],
          () => readFeeBalance(lens, id, subscriber),
          (state) => keepRows([state]),
        ),
      due: (lists) =>
        once(
          caches.due,
          lists.map(({ frequency, dueDay }) => `${frequency}.${dueDay}`),
          () => readDue(lens, lists),
          (found) => found.flatMap(({ subscriptionIds }) => subscriptionIds).length,
        ),
      account: (account) =>
        once(
          caches.account,
          [account],
          () => readAccount(lens, account),
          (state) => keepRows(state.subscribedTo) + keepRows(state.created),
        ),
      accountSubscriptions: (account, bySubscriber) =>
        once(
          caches.accountSubscriptions,
          [account, bySubscriber],
          () => readAccountSubscriptions(lens, account, bySubscriber),
          ({ rows }) => keepRows(rows),
        ),
      subscriptionsById: (ids) => byId(zeroAddress, ids),
      membershipsById: byId,
      feeBalances: (id, accounts) =>
        once(
          caches.feeBalances,
          [id, digest(accounts)],
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
            // Of what was read just now, a reorg may have emptied the facts already.
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
          caches.standing,
          [id, account, signer],
          () => readStanding(lens, id, { account, signer }),
          (state) => keepRows([state, ...state.memberships]),
        ),
      providerState: (id, signer) =>
        once(
          caches.providerState,
          [id, signer],
          () => readProviderState(lens, id, signer),
          (state) => keepRows([state]),
        ),
      createState: (token, provider) =>
        once(
          caches.createState,
          [token, provider],
          () => readCreateState(lens, token, provider),
          (state) => keepTokens(state.token ? [state.token] : []),
        ),
      walletState: (token, wallet) =>
        once(
          caches.walletState,
          [token, wallet],
          () => readWalletState(lens, token, wallet),
          ({ approved, memberships }) => keepTokens(approved ? [approved.token] : []) + keepRows(memberships),
        ),
      signer: (signer) =>
        once(
          caches.signer,
          [signer],
          () => readSigner(lens, signer),
          () => 1,
        ),
      backlog: (account) =>
        once(
          caches.backlog,
          // A day ends without a new block, too.
          [account, today],
          () => readBacklog(lens, account, today),
          ({ lists, wallets }) => keepRows(lists.flatMap(({ entries }) => entries)) + wallets.length,
        ),
    }
  }
}

function createCaches(onAsked: (known: boolean) => void) {
  const make = <Value extends object>() =>
    new BlockCache<Value>({ max: MOST_ANSWERS, maxRows: MOST_ROWS, onAsked })
  return {
    protocol: make<ProtocolSettings>(),
    subscription: make<SubscriptionState>(),
    subscribers: make<SubscribersState>(),
    feeBalance: make<FeeBalanceState>(),
    due: make<readonly DueList[]>(),
    account: make<AccountState>(),
    accountSubscriptions: make<{ nextUncheckedDay: number; rows: readonly AccountSubscription[] }>(),
    tokens: make<readonly TokenFacts[]>(),
    standing: make<Standing>(),
    providerState: make<ProviderState>(),
    createState: make<CreateState>(),
    memberships: make<MembershipsState>(),
    feeBalances: make<SubscribersState>(),
    walletState: make<WalletState>(),
    signer: make<{ nativeBalance: bigint }>(),
    backlog: make<BacklogState>(),
  }
}

/** A key as short for thousands of ids as for one. */
function digest(parts: readonly Hex[]): Hex {
  return keccak256(concatHex(parts))
}
