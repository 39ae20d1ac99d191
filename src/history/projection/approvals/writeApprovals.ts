import type { Insertable, Transaction } from 'kysely'
import type { ApprovalsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import type { TimedApproval } from '../../projection.ts'
import { inChunks } from '../inChunks.ts'
import type { Counter } from '../step/counts.ts'

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
