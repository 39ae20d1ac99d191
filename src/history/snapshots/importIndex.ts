import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { holdToReplace } from '../follower/HeldLease.ts'
import { ImportWriter } from '../projection/ImportWriter.ts'
import type { ChainIdentity, IndexSource, ProjectionReader, ProjectionWriter } from '../projection.ts'
import type { RowProgress } from './RowProgress.ts'
import type { Snapshot } from './Snapshot.ts'

/**
 * Replaces a chain's index by a snapshot. Nobody reads the index from the beginning of the import until `check` has
 * passed. If anything fails, the index is left empty, as before a first start.
 *
 * Throws StoreError if another process fills the index, if the index is further than the snapshot, or if the snapshot
 * is damaged; and what `check` throws.
 * @param options.origin the block before the contract's first one
 * @param options.source what the index is filled from afterwards
 */
export async function importIndex<Checked>(options: {
  store: Store
  projection: ProjectionWriter & ProjectionReader
  snapshot: Snapshot
  identity: ChainIdentity
  origin: BlockRef
  source: Exclude<IndexSource, 'import'>
  holder: string
  progress: RowProgress
  check: () => Promise<Checked>
}): Promise<Checked> {
  const { store, projection, snapshot, identity, origin, source, holder, progress } = options
  const { chainId } = identity
  const { block, finalizedBlock } = snapshot.header
  await projection.verify(identity)
  const state = await projection.indexState(chainId)
  if (state !== undefined && state.block.number >= block.number) {
    throw new StoreError(
      `The index of chain ${chainId} stands at block ${state.block.number} already, and the snapshot at ${block.number}: nothing to import.`,
    )
  }
  const held = await holdToReplace({ projection, identity, origin, holder })
  const { lease } = held
  try {
    await projection.empty(lease, origin, 'import')
    const writer = new ImportWriter(store, lease)
    progress.begin(snapshot.rows)
    for await (const { table, rows } of snapshot.pieces()) {
      await writer.write(table, rows)
      progress.moved(rows.length)
    }
    const checked = await options.check()
    await writer.finish(block, finalizedBlock, source)
    return checked
  } catch (error) {
    if (!held.lost.aborted) await projection.empty(lease, origin, source)
    throw isDuplicate(error)
      ? new StoreError('The snapshot is damaged: it has a row twice.', { cause: error })
      : error
  } finally {
    await held.release()
  }
}

/** Both databases say so when a primary key is there already. */
function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === '23505' || String(error.code).startsWith('SQLITE_CONSTRAINT')
}
