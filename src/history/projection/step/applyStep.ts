import { type Expression, sql, type Transaction } from 'kysely'
import type { BlockRef } from '../../../core/ports/history.ts'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { type Lease, LeaseLostError, type StepFacts } from '../../projection.ts'
import type { Step } from '../../source.ts'
import { coverStep } from '../approvals/coverage.ts'
import { forgetLostTokens, writeApprovals } from '../approvals/writeApprovals.ts'
import { tipColumns } from '../blockRow.ts'
import { logRows } from '../eventLog/logRows.ts'
import { writeLog } from '../eventLog/writeLog.ts'
import { writePayments } from '../payments/writePayments.ts'
import { followStep } from '../verdicts/followStep.ts'
import { CountChanges, writeCounts } from './counts.ts'
import { writeMemberships } from './memberships.ts'
import { rememberBlocks } from './rememberBlocks.ts'
import { rollBack } from './rollBack.ts'
import { insertRows, type StepRows, stepRows } from './stepRows.ts'

/** Writes one step in one transaction. Throws LeaseLostError; then nothing was written. */
export async function applyStep(
  store: Store,
  lease: Lease,
  leaseUntil: Expression<number>,
  from: BlockRef,
  step: Step,
  facts: StepFacts,
): Promise<void> {
  assertStep(from, step)
  const { chainId } = lease
  const rows = stepRows(chainId, step, facts.terms)
  const isFork = step.ancestor.number < from.number
  // To roll back months takes long.
  const inTransaction = isFork ? store.longTransaction : store.transaction
  await inTransaction(async (db) => {
    // First: this waits for any other writer, and fails if that one has moved the row.
    const before = { blockNumber: from.number, finalizedBlock: await finalBlock(db, chainId) }
    const finalizedBlock = await moveTip(db, lease, leaseUntil, from, step)
    const changes = countChanges(rows)
    const ancestor = step.ancestor.number
    const { members: lost, revived } = isFork
      ? await rollBack(db, chainId, ancestor, changes)
      : { members: [], revived: [] }
    await insertRows(db, chainId, rows)
    await writeApprovals(db, chainId, facts.approvals?.rows ?? [], changes.asSubscriber)
    const { events } = rows
    const { members, turns, begun, ended } = await writeMemberships(
      db,
      chainId,
      { lost, ancestor, events },
      changes.subscribers,
    )
    const { payments: paid } = facts
    const payments = await writePayments(db, chainId, { isFork, ancestor, events, payments: paid, members })
    const happened = logRows(chainId, step, { rows, payments, turns, hashes: facts.blockHashes })
    await writeLog(db, chainId, before, step, happened)
    await followStep(db, chainId, {
      ancestor: isFork ? ancestor : undefined,
      begun,
      ended,
      cancelled: rows.cancellations.map(({ id }) => id),
      revived,
      // Those of lost events and approvals are among them, although their counts become smaller.
      subscribers: [...changes.asSubscriber.keys()],
    })
    await writeCounts(db, chainId, changes)
    if (isFork) await forgetLostTokens(db, chainId)
    await coverStep(db, chainId, { ancestor, to: step.to.number, tokens: facts.approvals?.tokens ?? [] })
    await rememberBlocks(db, chainId, step, finalizedBlock)
  })
}

/** The newest block that is final before the step. */
async function finalBlock(db: Transaction<Tables>, chainId: number): Promise<number> {
  const row = await db
    .selectFrom('index_chains')
    .select('finalized_block')
    .where('chain_id', '=', chainId)
    .executeTakeFirst()
  return row?.finalized_block ?? 0
}

/** @returns the newest block that is final now */
async function moveTip(
  db: Transaction<Tables>,
  { chainId, epoch }: Lease,
  leaseUntil: Expression<number>,
  from: BlockRef,
  step: Step,
): Promise<number> {
  const moved = await db
    .updateTable('index_chains')
    .set({ ...tipColumns(step.to), finalized_block: finalizedAfter(step), lease_until: leaseUntil })
    .where('chain_id', '=', chainId)
    .where('epoch', '=', epoch)
    .where('block_number', '=', from.number)
    .where('block_hash', '=', from.hash.toLowerCase())
    .returning('finalized_block')
    .executeTakeFirst()
  if (moved === undefined) {
    throw new LeaseLostError(
      `the lease of chain ${chainId} is another's now, or its index has moved past block ${from.number}`,
    )
  }
  return moved.finalized_block
}

/** A node that lags cannot make final blocks unfinal. Only the rollback of this step can. */
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

/** Throws if the step breaks a rule of `Step`. Written, it would make wrong rows. */
function assertStep(from: BlockRef, { ancestor, to, events, blocks }: Step): void {
  if (ancestor.number > from.number || to.number < ancestor.number) {
    throw new Error(`a step from block ${from.number} over ${ancestor.number} to ${to.number} leads nowhere`)
  }
  if (ancestor.number === from.number && ancestor.hash.toLowerCase() !== from.hash.toLowerCase()) {
    throw new Error(
      `a step keeps block ${ancestor.number}, but of another chain than the one it is made from`,
    )
  }
  let [block, log] = [ancestor.number, Number.MAX_SAFE_INTEGER]
  for (const { blockNumber, logIndex } of events) {
    if (blockNumber > to.number || blockNumber < block || (blockNumber === block && logIndex <= log)) {
      throw new Error(`a step to block ${to.number} has its event ${blockNumber}/${logIndex} out of place`)
    }
    block = blockNumber
    log = logIndex
  }
  for (const { number } of blocks) {
    if (number > ancestor.number && number <= to.number) continue
    throw new Error(`a step over (${ancestor.number}, ${to.number}] would remember block ${number}`)
  }
}
