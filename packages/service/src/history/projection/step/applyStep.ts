import type { BlockRef } from '@remit/engine/ports/history'
import type { Step, StepFacts } from '@remit/engine/ports/source'
import { type Expression, sql, type Transaction } from 'kysely'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { type Lease, LeaseLostError } from '../../projection.ts'
import { noteApprovalGaps, writeApprovals } from '../approvals.ts'
import { tipColumns } from '../columns.ts'
import { logRows, type NewEvent, writeLog } from '../eventLog/writeLog.ts'
import { lockIndex } from '../lockIndexAtBlock.ts'
import { writePayments } from '../payments/writePayments.ts'
import { queueLookups } from '../providers.ts'
import { writeTexts } from '../search/writeTexts.ts'
import { updateVerdicts } from '../verdicts/updateVerdicts.ts'
import { CountChanges, writeCounts } from './counts.ts'
import { liveMemberChanges, writeMemberships } from './memberships.ts'
import { rememberBlocks } from './rememberBlocks.ts'
import { rollBack } from './rollBack.ts'
import { insertRows, type StepRows, stepRows } from './stepRows.ts'

/**
 * Writes one step, the follower's unit of progress: some blocks with their events, in one transaction. Where blocks were replaced, it
 * first takes back all after the step's `ancestor`, the newest block that is still on the chain, and goes on from there as any other
 * step. Then it moves the tip, adds the rows, logs the events and remembers the blocks' hashes.
 * Throws LeaseLostError, also if the tip is no longer `from`; and Error for a step that breaks the rules of `Step`. Nothing was
 * written then.
 */
export async function applyStep(
  store: Store,
  lease: Lease,
  leaseUntil: Expression<number>,
  from: BlockRef,
  step: Step,
  facts: StepFacts,
): Promise<void> {
  assertStep(from, step)
  const rows = stepRows(lease.chainId, step, facts.terms)
  const isFork = step.ancestor.number < from.number
  // After a long outage the rows of months may be taken back, which takes longer than a statement may otherwise.
  const inTransaction = isFork ? store.longTransaction : store.transaction
  await inTransaction(async (db) => {
    // First: this waits for any other writer.
    const before = await lockIndex(db, lease)
    if (before.blockNumber !== from.number || before.blockHash !== from.hash.toLowerCase()) {
      throw new LeaseLostError(`the index of chain ${lease.chainId} has moved past block ${from.number}`)
    }
    if (isFork) await rollBack(db, lease.chainId, step.ancestor)
    const finalizedBlock = await moveTip(db, lease.chainId, leaseUntil, step)
    const happened = await addRows(db, lease.chainId, step, rows, facts)
    await writeLog(db, lease.chainId, before, step, happened)
    await rememberBlocks(db, lease.chainId, step, finalizedBlock)
  })
}

/** Makes `step.to` the tip, and extends the lease. @returns the newest block that is final now. It never falls, even if a node lags. */
async function moveTip(
  db: Transaction<Tables>,
  chainId: number,
  leaseUntil: Expression<number>,
  step: Step,
): Promise<number> {
  const given = sql<number>`cast(${step.finalizedBlock} as bigint)`
  const { finalized_block } = await db
    .updateTable('index_chains')
    .set({
      ...tipColumns(step.to),
      finalized_block: sql<number>`case when finalized_block < ${given} then ${given} else finalized_block end`,
      lease_until: leaseUntil,
    })
    .where('chain_id', '=', chainId)
    .returning('finalized_block')
    .executeTakeFirstOrThrow()
  return finalized_block
}

/**
 * Adds a step's rows to the tables, which stand at its ancestor. The order counts: each function reads what those above it have
 * written.
 * @returns the events that the step makes for the event log
 */
async function addRows(
  db: Transaction<Tables>,
  chainId: number,
  step: Step,
  rows: StepRows,
  facts: StepFacts,
): Promise<readonly NewEvent[]> {
  const { events, cancellations } = rows
  const changes = countChanges(rows)
  const { changes: memberChanges, begun, ended } = await writeMemberships(db, chainId, events)
  for (const { subscriptionId, members } of memberChanges) changes.subscribers.add(subscriptionId, members)
  // Before the step's cancellations and counts are written: a cancellation ends those who were members until then.
  const liveChanges = await liveMemberChanges(db, chainId, events, memberChanges)
  await insertRows(db, chainId, rows)
  await queueLookups(db, chainId, rows)
  await writeTexts(db, chainId, {
    subscriptions: [...rows.subscriptions, ...cancellations]
      .map(({ id }) => id)
      .concat(rows.detailsLogs.map(({ subscription_id }) => subscription_id)),
    providers: rows.profileLogs.map(({ provider }) => provider),
  })
  const payments = await writePayments(db, chainId, {
    events,
    payments: facts.payments,
    members: liveChanges,
  })
  await writeCounts(db, chainId, changes)
  const { tokens, rows: approvals } = facts.approvals ?? { tokens: [], rows: [] }
  await noteApprovalGaps(db, chainId, { from: step.ancestor.number, to: step.to.number, tokens })
  const owners = await writeApprovals(db, chainId, approvals)
  await updateVerdicts(db, chainId, {
    begun,
    ended,
    cancelled: cancellations.map(({ id }) => id),
    subscribers: [...changes.asSubscriber.keys(), ...owners],
  })
  return logRows(chainId, step, { ...facts, payments, memberChanges })
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
