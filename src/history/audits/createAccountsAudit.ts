import { sql } from 'kysely'
import { BlockGoneError } from '../../core/chains.ts'
import type { AccountTotal } from '../../core/node.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import { findIndexState } from '../projection/indexTip.ts'
import type { Audit } from './createAudit.ts'

const EVERY_MS = 600_000
/** Counting more than this would keep a store in SQLite from everybody for too long. */
const MOST_ROWS = 200_000

/**
 * Makes a chain's audit of accounts: now and then, how many ever created a subscription or joined one is
 * compared with the contract's own count at the projection's block.
 *
 * A sample of what the projection has can only find what is wrong with that. This finds creations and
 * subscribers of which nothing came at all, unless their accounts are known from elsewhere.
 */
export function createAccountsAudit(options: {
  chainId: number
  store: Pick<Store, 'snapshot'>
  contract: AccountTotal
  now?: () => number
}): Audit {
  const { chainId, store, contract, now = () => performance.now() } = options
  let dueMs = now()
  return async (signal) => {
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

/** Several audits as one, which finds what the first of them finds. Each keeps its own time. */
export function allAudits(audits: readonly Audit[]): Audit {
  const latest = new Map<Audit, string | null>()
  return async (signal) => {
    let looked = false
    for (const audit of audits) {
      const found = await audit(signal)
      if (found === undefined) continue
      latest.set(audit, found)
      looked = true
    }
    if (!looked) return undefined
    return [...latest.values()].find((found) => found !== null) ?? null
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
