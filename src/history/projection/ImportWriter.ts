import type { Transaction } from 'kysely'
import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import { type IndexSource, type Lease, LeaseLostError } from '../projection.ts'
import { tipColumns } from './blockRow.ts'
import type { Cells, ChainTable } from './chainTables.ts'
import { followImportedLog } from './eventLog/writeLog.ts'
import { insertRows } from './tableRows.ts'
import { renewVerdicts } from './verdicts/renewVerdicts.ts'

/** Writes the rows of a snapshot under a lease that was taken as `import`. Nobody reads them before `finish`. */
export class ImportWriter {
  readonly #store: Store
  readonly #lease: Lease

  constructor(store: Store, lease: Lease) {
    this.#store = store
    this.#lease = lease
  }

  /** Throws LeaseLostError. */
  async write(table: ChainTable, rows: readonly Cells[]): Promise<void> {
    const { chainId, epoch } = this.#lease
    await this.#store.transaction(async (db) => {
      // Waits for a process that takes the lease just now, and then fails.
      await this.#update(db, { epoch })
      await insertRows(db, chainId, table, rows)
    })
  }

  /** Makes the rows the index of the chain. Throws LeaseLostError. */
  async finish(block: BlockRef, finalizedBlock: number, source: IndexSource): Promise<void> {
    await this.#store.transaction(async (db) => {
      await this.#update(db, { ...tipColumns(block), finalized_block: finalizedBlock, source })
      await renewVerdicts(db, this.#lease.chainId)
      await followImportedLog(db, this.#lease.chainId)
    })
  }

  async #update(
    db: Transaction<Tables>,
    change: { epoch: number } | (ReturnType<typeof tipColumns> & { finalized_block: number; source: string }),
  ): Promise<void> {
    const { chainId, epoch } = this.#lease
    const { numUpdatedRows } = await db
      .updateTable('index_chains')
      .set(change)
      .where('chain_id', '=', chainId)
      .where('epoch', '=', epoch)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
  }
}
