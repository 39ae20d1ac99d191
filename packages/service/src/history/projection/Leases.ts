import type { BlockRef } from '@remit/engine/ports/history'
import type { Expression, Selectable } from 'kysely'
import type { IndexChainsTable } from '../../store/indexTables.ts'
import type { Store } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { storeTime } from '../../store/storeTime.ts'
import { type ChainIdentity, type IndexSource, type Lease, LeaseLostError } from '../projection.ts'
import { blockRow, tipColumns } from './columns.ts'

/**
 * The version of the set of rows that an index has. Nobody reads it. But its column has no default, so a process of an older release,
 * which does not know the column, cannot begin an index: it would write only some of the rows.
 */
const INDEX_LAYOUT = 3

/**
 * Decides which process may write a chain's index: the holder that the chain's row in `index_chains` names, until its lease ends
 * by the store's clock. Each time that the lease is taken the row's `epoch` grows, and every write asks for the epoch of its lease:
 * what a former holder would still write fails. The methods are those of `ProjectionWriter` and `ProjectionReader`.
 */
export class Leases {
  readonly #store: Store
  readonly #now: () => number

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Unix milliseconds of the store's clock, `leaseMs` from now. */
  until(leaseMs: number): Expression<number> {
    return storeTime(this.#store.kind, leaseMs, this.#now)
  }

  /** Resolves with `undefined` while another process holds the lease. The first take inserts the chain's row. */
  async take(
    identity: ChainIdentity,
    source: IndexSource,
    origin: () => Promise<BlockRef>,
    holder: string,
    leaseMs: number,
  ): Promise<Lease | undefined> {
    const { chainId } = identity
    // Outside of the transaction: nothing in a transaction may wait for a chain.
    if ((await this.#find(chainId)) === undefined) await this.#begin(identity, source, await origin())
    assertSame(await this.#find(chainId), identity)
    const taken = await this.#store.transaction((db) =>
      db
        .updateTable('index_chains')
        .set((row) => ({ source, holder, epoch: row('epoch', '+', 1), lease_until: this.until(leaseMs) }))
        .where('chain_id', '=', chainId)
        .where((row) =>
          row.or([
            row('holder', 'is', null),
            row('holder', '=', holder),
            row('lease_until', '<=', this.until(0)),
          ]),
        )
        .returning('epoch')
        .executeTakeFirst(),
    )
    return taken && { chainId, holder, epoch: taken.epoch }
  }

  async verify(identity: KnownIdentity): Promise<void> {
    const row = await this.#find(identity.chainId)
    if (row !== undefined) assertSame(row, identity)
  }

  renew(lease: Lease, leaseMs: number): Promise<void> {
    return this.#update(lease, { lease_until: this.until(leaseMs) })
  }

  setAlarm(lease: Lease, alarm: string | null): Promise<void> {
    return this.#update(lease, { alarm })
  }

  async release(lease: Lease): Promise<void> {
    await this.#update(lease, { holder: null }).catch((error: unknown) => {
      if (!(error instanceof LeaseLostError)) throw error
    })
  }

  #find(chainId: number) {
    return this.#store.db
      .selectFrom('index_chains')
      .select(['genesis_hash', 'contract', 'first_block'])
      .where('chain_id', '=', chainId)
      .executeTakeFirst()
  }

  /** Inserts the chain's row, unless another process has just done so. */
  async #begin(identity: ChainIdentity, source: IndexSource, origin: BlockRef): Promise<void> {
    const { chainId, firstBlock } = identity
    const block = blockRow(chainId, origin)
    await this.#store.transaction(async (db) => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('index_chains')
        .values({
          chain_id: chainId,
          layout: INDEX_LAYOUT,
          genesis_hash: identity.genesisHash.toLowerCase(),
          contract: identity.contract.toLowerCase(),
          first_block: firstBlock,
          source,
          epoch: 0,
          holder: null,
          lease_until: 0,
          ...tipColumns(origin),
          finalized_block: origin.number,
          log_sequence: 0,
          alarm: null,
        })
        .onConflict((row) => row.doNothing())
        .executeTakeFirst()
      if (numInsertedOrUpdatedRows === 1n) await db.insertInto('index_blocks').values(block).execute()
    })
  }

  async #update(
    { chainId, epoch }: Lease,
    change: { holder: null } | { alarm: string | null } | { lease_until: Expression<number> },
  ): Promise<void> {
    const { numUpdatedRows } = await this.#store.transaction((db) =>
      db
        .updateTable('index_chains')
        .set(change)
        .where('chain_id', '=', chainId)
        .where('epoch', '=', epoch)
        .executeTakeFirst(),
    )
    if (numUpdatedRows === 0n) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
  }
}

/** What is known of a chain so far. */
type KnownIdentity = Partial<ChainIdentity> & Pick<ChainIdentity, 'chainId'>

type StoredIdentity = Pick<Selectable<IndexChainsTable>, 'genesis_hash' | 'contract' | 'first_block'>

function assertSame(row: StoredIdentity | undefined, identity: KnownIdentity): void {
  if (row === undefined)
    throw new StoreError(`The row of chain ${identity.chainId} was deleted from the store.`)
  const { chainId, genesisHash, contract, firstBlock } = identity
  const facts: readonly [string, string | number, string | number | undefined][] = [
    ['genesis block', row.genesis_hash, genesisHash?.toLowerCase()],
    ['contract', row.contract, contract?.toLowerCase()],
    ['first block', row.first_block, firstBlock],
  ]
  for (const [what, stored, configured] of facts) {
    if (configured === undefined || stored === configured) continue
    throw new StoreError(
      `The store holds another chain ${chainId}: its ${what} is ${stored}, and here it is ${configured}. ` +
        'Use another DATABASE_URL, or set the chain as it was.',
    )
  }
}
