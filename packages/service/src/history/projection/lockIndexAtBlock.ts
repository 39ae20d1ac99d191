import type { BlockRef } from '@remit/engine/ports/history'
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { type Lease, LeaseLostError } from '../projection.ts'

/**
 * Locks a chain's index for what is written beside the steps, such as verdicts that were read at `block`. A step is one transaction by
 * which the index takes in the next blocks (`step/applyStep.ts`): none is written until this transaction ends. Call it first in the
 * transaction: it waits for a step that is being written.
 * @throws LeaseLostError if another process writes for the chain by now
 * @returns the number of the index's last block; `undefined` if `block` is not on the indexed chain any more
 */
export async function lockIndexAtBlock(
  db: Transaction<Tables>,
  lease: Lease,
  block: BlockRef,
): Promise<number | undefined> {
  const { blockNumber } = await lockIndex(db, lease)
  const stands = await db
    .selectFrom('index_blocks')
    .select('number')
    .where('chain_id', '=', lease.chainId)
    .where('number', '=', block.number)
    .where('hash', '=', block.hash.toLowerCase())
    .executeTakeFirst()
  return stands === undefined ? undefined : blockNumber
}

/**
 * Locks the chain's row, whatever block the index is at, and returns its tip. `epoch` numbers the holders of the chain's lease, so the row has
 * the caller's only while the caller holds it. Throws LeaseLostError otherwise.
 */
export async function lockIndex(
  db: Transaction<Tables>,
  { chainId, epoch }: Lease,
): Promise<{ readonly blockNumber: number; readonly blockHash: string; readonly finalizedBlock: number }> {
  const held = await db
    .updateTable('index_chains')
    // Changes nothing: an update is what locks the row in both databases.
    .set((row) => ({ epoch: row.ref('epoch') }))
    .where('chain_id', '=', chainId)
    .where('epoch', '=', epoch)
    .returning(['block_number', 'block_hash', 'finalized_block'])
    .executeTakeFirst()
  if (held === undefined) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
  const { block_number: blockNumber, block_hash: blockHash, finalized_block: finalizedBlock } = held
  return { blockNumber, blockHash, finalizedBlock }
}
