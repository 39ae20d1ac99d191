import type { Insertable, Transaction } from 'kysely'
import type { ApprovalsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import type { TimedApproval } from '../../projection.ts'
import { inChunks } from '../inChunks.ts'
import { CountChanges, type Counter, writeCounts } from '../step/counts.ts'
import { noteGaps } from './coverage.ts'

type ApprovalRow = Insertable<ApprovalsTable>

/**
 * Writes approvals. One that is known stays as it is: what is read behind the steps may reach into what they have read.
 * @param asSubscriber is given the owners of new rows, each as often as it has any
 */
export async function writeApprovals(
  db: Transaction<Tables>,
  chainId: number,
  approvals: readonly TimedApproval[],
  asSubscriber: Counter,
): Promise<void> {
  await inChunks(
    approvals.map((approval) => approvalRow(chainId, approval)),
    async (chunk) => {
      const added = await db
        .insertInto('approvals')
        .values(chunk)
        .onConflict((row) => row.doNothing())
        .returning('owner')
        .execute()
      for (const { owner } of added) asSubscriber.add(owner, 1)
    },
  )
}

/** Deletes the approvals above a block, and takes them from the counts. */
export async function loseApprovals(
  db: Transaction<Tables>,
  chainId: number,
  ancestor: number,
  asSubscriber: Counter,
): Promise<void> {
  const lost = await db
    .deleteFrom('approvals')
    .where('chain_id', '=', chainId)
    .where('block_number', '>', ancestor)
    .returning('owner')
    .execute()
  for (const { owner } of lost) asSubscriber.add(owner, -1)
}

/** After a rollback: of a token whose subscriptions are all gone no approvals are kept, as if it had never been there. */
export async function forgetLostTokens(db: Transaction<Tables>, chainId: number): Promise<void> {
  const lost = await db
    .deleteFrom('approval_tokens')
    .where('chain_id', '=', chainId)
    .where('token', 'not in', (row) =>
      row
        .selectFrom('token_counts')
        .select('token_counts.token')
        .where('token_counts.chain_id', '=', chainId),
    )
    .returning('token')
    .execute()
  if (lost.length === 0) return
  const tokens = lost.map(({ token }) => token)
  const changes = new CountChanges()
  const gone = await db
    .deleteFrom('approvals')
    .where('chain_id', '=', chainId)
    .where('token', 'in', tokens)
    .returning('owner')
    .execute()
  for (const { owner } of gone) changes.asSubscriber.add(owner, -1)
  await writeCounts(db, chainId, changes)
  await noteGaps(db, chainId)
}

function approvalRow(chainId: number, approval: TimedApproval): ApprovalRow {
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
