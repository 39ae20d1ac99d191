import type { TimedApproval } from '@remit/engine/ports/source'
import type { Insertable, Transaction } from 'kysely'
import type { ApprovalsTable } from '../../../store/indexTables.ts'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { ApprovalStore } from '../../projection.ts'
import { inChunks } from '../inChunks.ts'
import { lockIndex } from '../lockIndexAtBlock.ts'
import { CountChanges, writeCounts } from '../step/counts.ts'
import { forgetReadBefore } from '../verdicts/updateVerdicts.ts'
import { coverGap, firstGap, followedTokens, followNewTokens, hasNewTokens } from './coverage.ts'

/** What reads the approvals that no step has read. */
export function approvalStore(store: Store): ApprovalStore {
  return {
    async findGap(lease) {
      const { chainId } = lease
      const found = await firstGap(store.db, chainId)
      if (found !== undefined || !(await hasNewTokens(store.db, chainId))) return found
      return store.transaction(async (db) => {
        await lockIndex(db, lease)
        await followNewTokens(db, chainId)
        return firstGap(db, chainId)
      })
    },

    closeGap: (lease, gap, to, approvals) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        const tip = await lockIndex(db, lease)
        const known = await db
          .selectFrom('index_blocks')
          .select('hash')
          .where('chain_id', '=', chainId)
          .where('number', '=', to.number)
          .executeTakeFirst()
        // Hashes of final blocks are not all kept.
        const isOnChain =
          known === undefined ? to.number <= tip.finalizedBlock : known.hash === to.hash.toLowerCase()
        if (!isOnChain || to.number > tip.blockNumber) return false
        await writeApprovals(db, chainId, approvals)
        await forgetReadBefore(db, chainId, approvals)
        await coverGap(db, chainId, gap, to.number)
        return true
      }),
  }
}

/**
 * Writes and counts approvals of the tokens that are followed. One that is known stays as it is: what is read behind the
 * steps may reach into what they have read.
 * @returns the owners of new ones
 */
export async function writeApprovals(
  db: Transaction<Tables>,
  chainId: number,
  approvals: readonly TimedApproval[],
): Promise<readonly string[]> {
  if (approvals.length === 0) return []
  // They were read for the tokens of a while ago. Meanwhile all subscriptions in one may be gone.
  const followed = new Set((await followedTokens(db, chainId)).map((token) => token.toLowerCase()))
  const rows = approvals.map((approval) => approvalRow(chainId, approval))
  const changes = new CountChanges()
  await inChunks(
    rows.filter(({ token }) => followed.has(token)),
    async (chunk) => {
      const added = await db
        .insertInto('approvals')
        .values(chunk)
        .onConflict((row) => row.doNothing())
        .returning('owner')
        .execute()
      for (const { owner } of added) changes.asSubscriber.add(owner, 1)
    },
  )
  await writeCounts(db, chainId, changes)
  return [...changes.asSubscriber.keys()]
}

function approvalRow(chainId: number, approval: TimedApproval): Insertable<ApprovalsTable> {
  const { owner, token, amountRaw, blockNumber, logIndex, transactionHash, timestamp } = approval
  return {
    chain_id: chainId,
    block_number: blockNumber,
    log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    timestamp,
    owner: owner.toLowerCase(),
    token: token.toLowerCase(),
    amount: amountRaw.toString(),
  }
}
