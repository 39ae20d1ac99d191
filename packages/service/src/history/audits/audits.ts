import { SubscriptionNotFoundError, ViewFailedError } from '@remit/engine/errors/chain'
import { BlockGoneError, type ChainsPort, type ChainView } from '@remit/engine/ports/chains'
import type { HistoryQueries, IndexedSubscription } from '@remit/engine/ports/history'
import type { AccountTotal } from '@remit/engine/ports/nodes'
import { sql } from 'kysely'
import type { Address, Hex } from 'viem'
import type { Queries, Store } from '../../store/openStore.ts'
import { findIndexState } from '../projection/indexTip.ts'
import type { ProjectionReader } from '../projection.ts'

// Audits compare the index with the contract's views, which finds what no check of logs can: events that all nodes of the chain have
// hidden. One compares a sample of subscriptions (`auditSubscriptions`), one the number of accounts (`auditAccounts`).

/** Resolves with a sentence if the index differs from the contract, `null` if not, `undefined` if nothing was compared. */
export type Audit = (signal: AbortSignal) => Promise<string | null | undefined>

/**
 * Makes the audit of a chain's index. The follower calls it whenever it has no step to write; the audit itself decides whether it is
 * due. What it finds becomes the index's alarm.
 */
export function createAudit(options: {
  chainId: number
  reader: Pick<ProjectionReader, 'snapshot'>
  chains: Pick<ChainsPort, 'withView'>
  store: Pick<Store, 'snapshot'>
  contract: AccountTotal
}): Audit {
  return allAudits([auditSubscriptions(options), auditAccounts(options)])
}

/**
 * Several audits as one. It returns the first difference, in the order of the list, among what each found last; `null` if there is none,
 * and `undefined` if none of them compared anything now.
 */
export function allAudits(audits: readonly Audit[]): Audit {
  const latest = new Map<Audit, string | null>()
  return async (signal) => {
    let compared = false
    for (const audit of audits) {
      const found = await audit(signal)
      if (found === undefined) continue
      latest.set(audit, found)
      compared = true
    }
    if (!compared) return undefined
    return [...latest.values()].find((found) => found !== null) ?? null
  }
}

/** How often each audit is due: six samples and six counts an hour find most faults of an index within a day, at little cost. */
const EVERY_MS = 600_000
/** So many of the newest subscriptions are sampled, and so many at a random depth, both of live ones and of cancelled ones. */
const SAMPLE = 10
/** The greatest depth of the random sample: `skip` of a search goes no deeper. */
const DEEPEST = 5_000
/** Longer lists are not compared: a node could not answer the contract's view of them. */
const MOST_LISTED = 500

/** A subscription of the sample, with what the index says of it. */
interface Sampled {
  readonly row: IndexedSubscription
  readonly subscribers: readonly Address[]
  /** All subscriptions of its provider. */
  readonly siblings: readonly Hex[]
}

/**
 * Makes the audit of subscriptions: every ten minutes, a sample of them is compared with the contract's views at the
 * index's block: their terms, their subscribers, and all subscriptions of their providers.
 */
export function auditSubscriptions(options: {
  chainId: number
  reader: Pick<ProjectionReader, 'snapshot'>
  chains: Pick<ChainsPort, 'withView'>
  random?: () => number
  now?: () => number
}) {
  const { chainId, reader, chains, random = Math.random, now = () => performance.now() } = options
  let dueMs = now()
  return async (signal: AbortSignal) => {
    if (now() < dueMs) return undefined
    dueMs = now() + EVERY_MS
    // 1 to DEEPEST, small depths as often as large ones (a random power), so that a small index is sampled throughout too.
    const skip = Math.floor(DEEPEST ** random())
    const found = await reader.snapshot(chainId, (queries) => sample(queries, skip))
    if (found === undefined) return undefined
    const { block } = found.indexState
    try {
      const differences = await chains.withView(chainId, { block, signal }, (chain) =>
        Promise.all(found.rows.map((sampled) => difference(sampled, chain))),
      )
      const first = differences.find((sentence) => sentence !== undefined)
      if (first === undefined) return null
      return `The index of chain ${chainId} differs from the contract at block ${block.number}: ${first}. Build it anew, from another node.`
    } catch (error) {
      // The block was reorganised away, or is too old for the nodes. The next audit will do.
      if (error instanceof BlockGoneError) return undefined
      throw error
    }
  }
}

async function sample(queries: HistoryQueries, skip: number): Promise<readonly Sampled[]> {
  const filters = { provider: undefined, token: undefined, frequency: undefined }
  const sampled = new Map<Hex, Sampled>()
  for (const cancelled of [false, true]) {
    for (const from of [0, skip]) {
      const page = { first: SAMPLE, skip: from, after: undefined, untilBlock: undefined }
      // Without texts, which no view of the contract shows.
      const { rows } = await queries.search({ ...filters, cancelled }, page, false)
      for (const row of rows) {
        if (sampled.has(row.id)) continue
        const first = MOST_LISTED + 1
        const subscribers = await queries.subscribers(row.id, { first, skip: 0, after: undefined })
        sampled.set(row.id, {
          row,
          subscribers,
          siblings: await queries.created(row.provider, { first, skip: 0 }),
        })
      }
    }
  }
  return [...sampled.values()]
}

/** A phrase that names the first difference; `undefined` if there is none. */
async function difference({ row, subscribers, siblings }: Sampled, chain: ChainView) {
  const name = `subscription ${row.id}`
  const state = await chain.read.subscription(row.id).catch((error: unknown) => {
    if (error instanceof SubscriptionNotFoundError) return undefined
    throw error
  })
  if (state === undefined) return `there is no ${name}`
  if (termsOf(state.terms) !== termsOf(row)) return `the terms of ${name} are others`
  if (siblings.length <= MOST_LISTED) {
    // Not as a subscriber (`false`): those that it created.
    const created = await chain.read.accountSubscriptions(row.provider, false)
    const ids = created.rows.map(({ terms }) => terms.id)
    if (!areEqual(ids, siblings)) return `the provider of ${name} has created others`
  }
  if (subscribers.length <= MOST_LISTED) {
    const known = await subscribersOf(row.id, chain)
    if (known !== undefined && !areEqual(known, subscribers)) return `the subscribers of ${name} are others`
  }
  return undefined
}

/** `undefined` where the contract's view fails: then there is nothing to compare with. */
async function subscribersOf(id: Hex, chain: ChainView): Promise<readonly Address[] | undefined> {
  try {
    const { subscribers } = await chain.read.subscribers(id)
    return subscribers.map(({ subscriber }) => subscriber)
  } catch (error) {
    if (error instanceof ViewFailedError) return undefined
    throw error
  }
}

/** The terms as one text, to be compared. */
function termsOf(terms: Omit<IndexedSubscription, 'createdAt' | 'details'>): string {
  const { id, provider, token, amount, frequency, dueDay, cancelled } = terms
  return [id, provider, token, amount, frequency, dueDay, cancelled].join(' ').toLowerCase()
}

/** Whether two lists hold the same, in whatever order. */
function areEqual(some: readonly string[], others: readonly string[]): boolean {
  const text = (list: readonly string[]) =>
    list
      .map((element) => element.toLowerCase())
      .toSorted()
      .join(' ')
  return text(some) === text(others)
}

/** Counting more rows than this would block a SQLite store for too long. */
const MOST_COUNTED = 200_000

/**
 * Makes the audit of accounts: every ten minutes, the number of accounts that ever created or joined a subscription
 * is compared with the contract's count at the index's block.
 *
 * The audit of subscriptions can only check rows that exist. This one finds creations and subscribers that are missing
 * altogether, unless their accounts also appear in other rows.
 */
export function auditAccounts(options: {
  chainId: number
  store: Pick<Store, 'snapshot'>
  contract: AccountTotal
  now?: () => number
}) {
  const { chainId, store, contract, now = () => performance.now() } = options
  let dueMs = now()
  return async (signal: AbortSignal) => {
    if (now() < dueMs) return undefined
    dueMs = now() + EVERY_MS
    const counted = await store.snapshot(async (db) => {
      const indexState = await findIndexState(db, chainId)
      if (indexState === undefined || (await isCrowded(db, chainId))) return undefined
      return { block: indexState.block, accounts: await countAccounts(db, chainId) }
    })
    if (counted === undefined) return undefined
    const { block, accounts } = counted
    try {
      const total = await contract.totalAccounts(block, signal)
      if (total === accounts) return null
      return `The index of chain ${chainId} knows ${accounts} accounts at block ${block.number}, and the contract has ${total}: logs were hidden from it. Build it anew, from another node.`
    } catch (error) {
      if (error instanceof BlockGoneError) return undefined
      throw error
    }
  }
}

/** Whether there are more memberships than may be counted. */
async function isCrowded(db: Queries, chainId: number): Promise<boolean> {
  const beyond = await db
    .selectFrom('memberships')
    .select(sql<number>`1`.as('one'))
    .where('chain_id', '=', chainId)
    .limit(1)
    .offset(MOST_COUNTED)
    .execute()
  return beyond.length > 0
}

/** How many accounts have ever created or joined a subscription. */
async function countAccounts(db: Queries, chainId: number): Promise<number> {
  const { accounts } = await db
    .selectFrom(
      db
        .selectFrom('memberships')
        .select('subscriber as account')
        .where('chain_id', '=', chainId)
        .union(db.selectFrom('subscriptions').select('provider as account').where('chain_id', '=', chainId))
        .as('known'),
    )
    .select(({ fn }) => fn.countAll<number | string | bigint>().as('accounts'))
    .executeTakeFirstOrThrow()
  return Number(accounts)
}
