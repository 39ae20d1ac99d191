import type { SubscriptionTerms } from '@remit/protocol/subscription'
import {
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  zeroAddress,
} from 'viem'
import { BlockCache } from '../block/blockCache.ts'
import type { FactStore } from '../block/facts.ts'
import { TokenNotApprovedError, UpstreamError, ViewFailedError } from '../errors/chain.ts'
import type { Head } from '../head/blockHeader.ts'
import { BacklogTooLongError, type ChainReads, type RowRange, type TokenFacts } from '../ports/chainReads.ts'
import { askRows, type Lens, lensAbi, lensAt } from './lens.ts'
import type { LensCaller } from './lensCaller.ts'
import { tokenFacts } from './lensRows.ts'
import { readAccount, readAccountSubscriptions } from './readAccounts.ts'
import { readBacklog } from './readBacklog.ts'
import { readDue } from './readDue.ts'
import {
  readCreateState,
  readMembershipState,
  readProviderState,
  readSigner,
  readWalletState,
} from './readSigners.ts'
import { readFeeBalance, readSettings, readSubscribers, readSubscription } from './readSubscriptions.ts'

// All reads of a chain's state for operations. Each is one question to a lens (lens.ts), whose answer is kept in a cache by block and
// question, so that all callers at one block share it. Beside it, facts that never change are kept for all blocks (`FactStore`).

/** Loaded when first needed: these reads have a lens of their own, which only those who keep an index need. */
const indexedReads = () => import('./readIndexed.ts')

/** How many answers are kept: a few thousand serve all callers between two heads. */
const MOST_ANSWERS = 5_000
/** How many rows (of some 500 bytes) all kept answers may have together. */
const MOST_ROWS = 250_000

/**
 * Makes the reads of a chain (`ChainReads`), at any block. Each costs one HTTP request at the first question about a block, and none
 * after it, whoever asks.
 * @param options.candidates tokens that the protocol may have approved
 * @param options.timeoutMs for all that is read at a block for one request, from its first question on
 * @param options.onCacheAsked is told of each read whether it was known already
 * @returns the reads at a head; `today` and `mostRows` bound a backlog (`ChainView.onDay`)
 */
export function createReads(options: {
  caller: LensCaller
  chainId: number
  protocol: Address
  candidates: readonly Address[]
  facts: FactStore
  timeoutMs: number
  onCacheAsked?: (known: boolean) => void
}): (head: Head, today: number, mostRows?: number) => ChainReads {
  const { caller, chainId, protocol, candidates, facts, timeoutMs, onCacheAsked = () => {} } = options
  // At the same block a view fails the same way again, and at the price of a block's gas each time.
  const isLasting = (error: unknown) =>
    error instanceof ViewFailedError || error instanceof BacklogTooLongError
  const cache = new BlockCache({ max: MOST_ANSWERS, maxRows: MOST_ROWS, onAsked: onCacheAsked, isLasting })

  // Both keep what rows say of terms and tokens, and return the number of rows, by which the cache counts what it holds.
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

  return (head, today, mostRows = Number.POSITIVE_INFINITY) => {
    /** Aborts `timeoutMs` after the first question at this block. */
    let deadline: AbortSignal | undefined
    /**
     * The answer to a question from the cache, or read now.
     * @param question names what is read and of whom
     * @param keep keeps the facts of what was read, and counts its rows
     */
    const cached = <Value extends object>(
      question: readonly [kind: string, ...rest: (string | number | boolean)[]],
      read: (lens: Lens) => Promise<Value>,
      keep: (value: Value) => number,
    ) =>
      cache.get(head.hash, question.join(':'), async () => {
        deadline ??= AbortSignal.timeout(timeoutMs)
        const value = await read(lensAt({ caller, head, chainId, protocol, deadline })).catch(blameNode)
        return { value, rows: keep(value) }
      })
    /** Turns a RangeError into an UpstreamError: the answer lacks a row, or the question is longer than the node takes. */
    const blameNode = (error: unknown): never => {
      throw error instanceof RangeError ? new UpstreamError(chainId, { cause: error }) : error
    }

    const approved = (addresses: readonly Address[]) =>
      cached(['tokens', digest(addresses)], (lens) => readTokens(lens, addresses), keepTokens)

    const byId = (account: Address, ids: readonly Hex[]) =>
      cached(
        ['memberships', account, digest(ids)],
        async (lens) => (await indexedReads()).readMembershipsById(lens, account, ids),
        ({ rows }) => keepRows(rows),
      )

    return {
      protocol: () =>
        cached(
          ['protocol'],
          (lens) => readSettings(lens),
          () => 1,
        ),
      subscription: (id) =>
        cached(
          ['subscription', id],
          (lens) => readSubscription(lens, id),
          (state) => keepRows([state]),
        ),
      subscribers: (id) =>
        cached(
          ['subscribers', id],
          (lens) => readSubscribers(lens, id),
          (state) => keepRows([state]) + state.subscribers.length,
        ),
      feeBalance: (id, subscriber) =>
        cached(
          ['feeBalance', id, subscriber],
          (lens) => readFeeBalance(lens, id, subscriber),
          (state) => keepRows([state]),
        ),
      due: (lists) =>
        cached(
          ['due', ...lists.map(({ frequency, dueDay }) => `${frequency}.${dueDay}`)],
          (lens) => readDue(lens, lists),
          (found) => found.flatMap(({ subscriptionIds }) => subscriptionIds).length,
        ),
      account: (account, range) =>
        cached(
          ['account', account, ...rangeKey(range)],
          (lens) => readAccount(lens, account, range),
          (state) => keepRows(state.subscribedTo) + keepRows(state.created),
        ),
      accountSubscriptions: (account, bySubscriber, range) =>
        cached(
          ['accountSubscriptions', account, bySubscriber, ...rangeKey(range)],
          (lens) => readAccountSubscriptions(lens, account, bySubscriber, range),
          ({ rows }) => keepRows(rows),
        ),
      // The zero address stands for no account: no fee balances and holdings are read.
      subscriptionsById: (ids) => byId(zeroAddress, ids),
      membershipsById: byId,
      feeBalances: (id, accounts) =>
        cached(
          ['feeBalances', id, digest(accounts)],
          async (lens) => (await indexedReads()).readFeeBalances(lens, id, accounts),
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
      membershipState: (id, account, signer) =>
        cached(
          ['membershipState', id, account, signer],
          (lens) => readMembershipState(lens, id, { account, signer }),
          (state) => keepRows([state, ...state.memberships]),
        ),
      providerState: (id, signer) =>
        cached(
          ['providerState', id, signer],
          (lens) => readProviderState(lens, id, signer),
          (state) => keepRows([state]),
        ),
      createState: (token, provider) =>
        cached(
          ['createState', token, provider],
          (lens) => readCreateState(lens, token, provider),
          (state) => keepTokens(state.token ? [state.token] : []),
        ),
      walletState: (token, wallet) =>
        cached(
          ['walletState', token, wallet],
          (lens) => readWalletState(lens, token, wallet),
          ({ approved, memberships }) => keepTokens(approved ? [approved.token] : []) + keepRows(memberships),
        ),
      lend: async (code, question) => {
        const { answer } = await cached(
          ['lend', digest([code, question])],
          (lens) => lens.ask(question, (given) => ({ answer: given }), { code }),
          () => 1,
        )
        return answer
      },
      payers: (rows) =>
        cached(
          ['payers', digest(rows.flatMap(({ id, account, token }) => [id, account, token]))],
          async (lens) => (await import('./readPayers.ts')).readPayers(lens, rows),
          (state) => state.rows.length,
        ),
      signer: (signer) =>
        cached(
          ['signer', signer],
          (lens) => readSigner(lens, signer),
          () => 1,
        ),
      backlog: (account) =>
        cached(
          // The backlog reaches up to today, and a day can end without a new block.
          ['backlog', account, today, mostRows],
          (lens) => readBacklog(lens, account, { today, mostRows }),
          ({ lists, wallets }) => keepRows(lists.flatMap(({ entries }) => entries)) + wallets.length,
        ),
    }
  }
}

function rangeKey(range: RowRange | undefined): number[] {
  return range === undefined ? [] : [range.skip, range.first]
}

/** A key that is short for any number of ids. */
function digest(parts: readonly Hex[]): Hex {
  return keccak256(concatHex(parts))
}

/** The most tokens in one call: their addresses must fit beside the lens into the code of one contract creation. */
const MOST_CANDIDATES = 500

/** The candidates that the protocol has approved, in their order. */
async function readTokens(lens: Lens, candidates: readonly Address[]): Promise<TokenFacts[]> {
  const distinct = [...new Set(candidates)]
  const found: TokenFacts[] = []
  for (let from = 0; from < distinct.length; from += MOST_CANDIDATES) {
    const some = distinct.slice(from, from + MOST_CANDIDATES)
    const pages = await askRows((start) => {
      const args = [lens.protocol, some, start] as const
      const question = encodeFunctionData({ abi: lensAbi, functionName: 'tokens', args })
      return lens.ask(question, (data) => {
        const [, tokens, next] = decodeFunctionResult({ abi: lensAbi, functionName: 'tokens', data })
        return { tokens, next }
      })
    })
    found.push(...pages.flatMap(({ tokens }) => tokens.map(tokenFacts)))
  }
  return found
}
