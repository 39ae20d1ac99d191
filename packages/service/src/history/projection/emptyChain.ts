import type { BlockRef } from '@remit/engine/ports/history'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import { sql } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import type { Tables } from '../../store/tables.ts'
import { HeldLease } from '../follower/HeldLease.ts'
import type { ChainIdentity, IndexSource, Lease, ProjectionWriter } from '../projection.ts'
import { blockRow, tipColumns } from './columns.ts'
import { lockIndex } from './lockIndexAtBlock.ts'
import { endOpenLists } from './verdicts/memberPlaces.ts'

/**
 * Deletes all rows of a chain but its event log. Unlike a rollback it works on rows that are wrong, too.
 * Throws LeaseLostError; then nothing was written.
 */
export async function emptyChain(
  store: Store,
  lease: Lease,
  origin: BlockRef,
  source: IndexSource,
): Promise<void> {
  const { chainId } = lease
  await store.longTransaction(async (db) => {
    await lockIndex(db, lease)
    await db
      .updateTable('index_chains')
      .set({
        ...tipColumns(origin),
        finalized_block: origin.number,
        source,
        alarm: null,
        approvals_read_to: null,
      })
      .where('chain_id', '=', chainId)
      .execute()
    for (const table of CHAIN_TABLES) {
      await sql`delete from ${sql.table(table)} where chain_id = ${chainId}`.execute(db)
    }
    // Lists of members that callers page through just now cannot go on: their rows are gone.
    await endOpenLists(db, chainId)
    await db.insertInto('index_blocks').values(blockRow(chainId, origin)).execute()
  })
}

/**
 * The tables whose rows are made from a chain's logs, and are deleted when an index begins anew. A new table of the index is
 * added here. The log of events stays: its events are not sent twice.
 */
export const CHAIN_TABLES = [
  'index_blocks',
  'lost_blocks',
  'events',
  'approvals',
  'approval_tokens',
  'details_logs',
  'profile_logs',
  'subscriptions',
  'search_texts',
  'memberships',
  'account_counts',
  'token_counts',
  'payments',
  'payment_days',
  'checked_days',
  'unstated_tokens',
  'verdicts',
  'verdict_counts',
  'former_places',
  'token_checks',
  'provider_checks',
] as const satisfies readonly (keyof Tables)[]

/** Short, so that the command can be repeated soon after its process has died. `HeldLease` renews it meanwhile. */
const LEASE_MS = 10_000

/**
 * The command that begins a chain's index anew: takes the lease, deletes the rows, and lets the next process read the chain again
 * from the contract's first block. Readers then see an index that has just begun.
 *
 * Throws StoreError while another process fills the index.
 */
export async function emptyProjection(options: {
  identity: Omit<ChainIdentity, 'genesisHash'>
  nodes: Pick<ChainNodes, 'genesisHash'>
  source: EventSource
  projection: ProjectionWriter
  holder: string
  signal: AbortSignal
}): Promise<void> {
  const { nodes, source, projection, holder, signal } = options
  const identity = { ...options.identity, genesisHash: await nodes.genesisHash(signal) }
  const origin = await source.origin(signal)
  const lease = await projection.take(identity, source.kind, async () => origin, holder, LEASE_MS)
  if (lease === undefined) {
    throw new StoreError(`Another process fills the index of chain ${identity.chainId}: stop it first.`)
  }
  // Renews the lease until it is released.
  const held = new HeldLease({ lease, leaseMs: LEASE_MS, writer: projection })
  try {
    await projection.empty(lease, origin, source.kind)
  } finally {
    await held.release()
  }
}
