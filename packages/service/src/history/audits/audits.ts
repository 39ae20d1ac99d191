import { BlockGoneError, type ChainsPort } from '@remit/engine/ports/chains'
import type { AccountTotal } from '@remit/engine/ports/nodes'
import { sql } from 'kysely'
import type { Queries, Store } from '../../store/openStore.ts'
import { findIndexState } from '../projection/indexTip.ts'
import type { ProjectionReader } from '../projection.ts'
import { auditSubscriptions } from './auditSubscriptions.ts'

/** A sentence if the index differs from the contract, `null` if not, `undefined` if nothing was compared. */
export type Audit = (signal: AbortSignal) => Promise<string | null | undefined>

/**
 * Makes the audit of a chain's index. It compares the index with the contract, which finds what no check of logs
 * can: events that all nodes of the chain have hidden.
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

/** Several audits as one. It returns the first difference, in the order of the list, among the latest run of each. */
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

/** Six counts an hour find a fault of the index soon, and are nothing beside a store's work. */
const EVERY_MS = 600_000
/** Counting more rows than this would block a SQLite store for too long. */
const MOST_ROWS = 200_000

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

async function isCrowded(db: Queries, chainId: number): Promise<boolean> {
  const beyond = await db
    .selectFrom('memberships')
    .select(sql<number>`1`.as('one'))
    .where('chain_id', '=', chainId)
    .limit(1)
    .offset(MOST_ROWS)
    .execute()
  return beyond.length > 0
}

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
