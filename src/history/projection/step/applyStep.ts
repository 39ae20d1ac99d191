import { type Expression, sql, type Transaction } from 'kysely'
import type { Hex } from 'viem'
import type { BlockRef } from '../../../core/history.ts'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { type Lease, LeaseLostError, type ScheduleTerms } from '../../projection.ts'
import type { Step } from '../../source.ts'
import { checkpointColumns } from '../blockRow.ts'
import { assertStep } from './assertStep.ts'
import { CountChanges, writeCounts } from './counts.ts'
import { insertRows } from './insertRows.ts'
import { writeMemberships } from './memberships.ts'
import { rememberBlocks } from './rememberBlocks.ts'
import { rollBack } from './rollBack.ts'
import { type StepRows, stepRows } from './stepRows.ts'

/** A reorganisation of months takes longer than any query of the service may. */
const ROLLBACK_TIMEOUT_MS = 600_000

/** Makes one step in one transaction. Throws LeaseLostError, with nothing written. */
export async function applyStep(
  store: Store,
  lease: Lease,
  leaseUntil: Expression<number>,
  from: BlockRef,
  step: Step,
  terms: ReadonlyMap<Hex, ScheduleTerms>,
): Promise<void> {
  assertStep(from, step)
  const { chainId } = lease
  const rows = stepRows(chainId, step, terms)
  await store.transaction(async (db) => {
    // First of all: it waits for any other writer, and fails where that one has moved the row.
    const finalizedBlock = await moveCheckpoint(db, lease, leaseUntil, from, step)
    const isFork = step.ancestor.number < from.number
    if (isFork && store.kind === 'postgres') {
      await sql`set local statement_timeout = ${sql.lit(ROLLBACK_TIMEOUT_MS)}`.execute(db)
    }
    const changes = countChanges(rows)
    const ancestor = step.ancestor.number
    const lost = isFork ? await rollBack(db, chainId, ancestor, changes) : []
    await insertRows(db, chainId, rows)
    await writeMemberships(db, chainId, { lost, ancestor, events: rows.events }, changes.subscribers)
    await writeCounts(db, chainId, changes)
    await rememberBlocks(db, chainId, step, finalizedBlock)
  })
}

/** @returns up to where blocks are final now */
async function moveCheckpoint(
  db: Transaction<Tables>,
  { chainId, epoch }: Lease,
  leaseUntil: Expression<number>,
  from: BlockRef,
  step: Step,
): Promise<number> {
  const moved = await db
    .updateTable('index_chains')
    .set({ ...checkpointColumns(step.to), finalized_block: finalizedAfter(step), lease_until: leaseUntil })
    .where('chain_id', '=', chainId)
    .where('epoch', '=', epoch)
    .where('block_number', '=', from.number)
    .where('block_hash', '=', from.hash.toLowerCase())
    .returning('finalized_block')
    .executeTakeFirst()
  if (moved === undefined) {
    throw new LeaseLostError(`the lease of chain ${chainId} is another's now, or its checkpoint was moved`)
  }
  return moved.finalized_block
}

/** What was final remains so where a node lags, but for what this step itself takes away. */
function finalizedAfter({ finalizedBlock, ancestor }: Step) {
  const given = sql`cast(${finalizedBlock} as bigint)`
  const kept = sql`cast(${ancestor.number} as bigint)`
  return sql<number>`case
    when finalized_block <= ${given} or ${kept} <= ${given} then ${given}
    when finalized_block < ${kept} then finalized_block
    else ${kept} end`
}

function countChanges({ events, subscriptions }: StepRows): CountChanges {
  const changes = new CountChanges()
  for (const { provider, subscriber } of events) {
    changes.asProvider.add(provider, 1)
    if (subscriber) changes.asSubscriber.add(subscriber, 1)
  }
  for (const { token } of subscriptions) changes.tokens.add(token, 1)
  return changes
}
