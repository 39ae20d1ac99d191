import type { BlockRef } from '@remit/engine/ports/history'
import type { Trouble } from '@remit/engine/ports/verdicts'
import type { Selectable, Transaction } from 'kysely'
import { getAddress } from 'viem'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { Lease, ReadVerdict, VerdictStore } from '../../projection.ts'
import { inChunks } from '../columns.ts'
import { tellVerdicts } from '../eventLog/tellVerdicts.ts'
import { lockIndexAtBlock } from '../lockIndexAtBlock.ts'
import { isOneOf } from '../step/memberships.ts'
import { isSamePlace, nextOrderVersion, rememberLeftPlaces } from './memberPlaces.ts'
import { tokenChecks } from './tokenChecks.ts'
import { VerdictCounts } from './VerdictCounts.ts'

// The sweep (`sweep/Sweep.ts`) reads verdicts: whether the coming charges of memberships will be paid. Here are the rows that are due for
// it, and how what it has read is written. Steps change the same rows by `updateVerdicts.ts`.

/** What `trouble` in the table means, in the order of its numbers from 1 on. */
export const TROUBLES: readonly Trouble[] = ['allowance', 'balance', 'both', 'blocked']

/** The columns that a verdict changes. */
const WRITTEN = [
  ...(['sweep_at', 'block_number', 'block_timestamp', 'first_day', 'charges'] as const),
  ...(['trouble', 'trouble_day', 'missing_allowance', 'missing_balance', 'placed_at'] as const),
]

/** The port of the sweep. */
export function verdictStore(store: Store): VerdictStore {
  return {
    async duePayers(chainId, now, first) {
      const rows = await store.db
        .selectFrom('verdicts')
        .select(['subscriber', 'token'])
        .where('chain_id', '=', chainId)
        .where('sweep_at', '<=', now)
        .orderBy('sweep_at')
        .orderBy('subscriber')
        .limit(first)
        .execute()
      const payers = new Map(rows.map((row) => [`${row.subscriber} ${row.token}`, row]))
      return [...payers.values()].map(({ subscriber, token }) => ({
        subscriber: getAddress(subscriber),
        token: getAddress(token),
      }))
    },

    async countDue(chainId, now) {
      const row = await store.db
        .selectFrom('verdicts')
        .select((count) => count.fn.countAll<number>().as('due'))
        .where('chain_id', '=', chainId)
        .where('sweep_at', '<=', now)
        .executeTakeFirstOrThrow()
      return Number(row.due)
    },

    writeVerdicts: (lease, block, verdicts, now = block.timestamp) =>
      writeVerdicts(store, lease, block, verdicts, now),
    ...tokenChecks(store),
  }
}

/**
 * Writes verdicts that were read at `block`, their counts, the places that they give members (`memberPlaces.ts`) and the events that
 * they make. Leaves out those that may have changed since: by then the index may be further than `block`.
 */
async function writeVerdicts(
  store: Store,
  lease: Lease,
  block: BlockRef,
  verdicts: readonly ReadVerdict[],
  now: number,
): Promise<boolean> {
  const { chainId } = lease
  const keys = verdicts.map((read) => ({
    subscription_id: read.subscriptionId.toLowerCase(),
    subscriber: read.subscriber.toLowerCase(),
  }))
  return store.transaction(async (db) => {
    const tip = await lockIndexAtBlock(db, lease, block)
    if (tip === undefined) return false
    const known = new Map<string, Selectable<VerdictsTable>>()
    await inChunks(keys, async (chunk) => {
      const rows = await db
        .selectFrom('verdicts')
        .selectAll()
        .where('chain_id', '=', chainId)
        .where(isOneOf(chunk))
        .execute()
      for (const row of rows) known.set(`${row.subscription_id} ${row.subscriber}`, row)
    })
    const subscribers = [...new Set(keys.map(({ subscriber }) => subscriber))]
    const changed =
      tip > block.number ? await changedSince(db, chainId, block.number, subscribers) : new Set<string>()
    const counts = new VerdictCounts()
    const version = await nextOrderVersion(db, chainId)
    const moves: { from: Selectable<VerdictsTable>; to: Selectable<VerdictsTable> }[] = []
    const rows = verdicts.flatMap((read, index) => {
      const key = keys[index]
      const row = key && known.get(`${key.subscription_id} ${key.subscriber}`)
      // The membership has ended meanwhile; or an event of its payer came after `block`, and has made its verdict due once more.
      if (row === undefined || changed.has(row.subscriber)) return []
      const found = { ...row, ...columnsOf(read, block) }
      const next = isSamePlace(row, found) ? found : { ...found, placed_at: version }
      moves.push({ from: row, to: next })
      counts.remove(row)
      counts.add(next)
      return [next]
    })
    await rememberLeftPlaces(db, chainId, version, moves)
    await inChunks(rows, (chunk) =>
      db
        .insertInto('verdicts')
        .values(chunk)
        .onConflict((conflict) =>
          conflict
            .columns(['chain_id', 'subscriber', 'subscription_id'])
            .doUpdateSet((set) =>
              Object.fromEntries(WRITTEN.map((column) => [column, set.ref(`excluded.${column}`)])),
            ),
        )
        .execute(),
    )
    await counts.write(db, chainId)
    // Without those that could not be read now: they keep the older verdict, with its block.
    const readNow = rows.filter(({ block_number }) => block_number === block.number)
    await tellVerdicts(db, chainId, block, readNow, now)
    return true
  })
}

/** Which of these payers (lower case) an event after a block concerns: their own, an approval, or the cancellation of what they pay for. */
async function changedSince(
  db: Transaction<Tables>,
  chainId: number,
  block: number,
  subscribers: readonly string[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  await inChunks(subscribers, async (named) => {
    const inEvents = await db
      .selectFrom('events')
      .select('subscriber')
      .where('chain_id', '=', chainId)
      .where('subscriber', 'in', named)
      .where('block_number', '>', block)
      .execute()
    const inApprovals = await db
      .selectFrom('approvals')
      .select('owner as subscriber')
      .where('chain_id', '=', chainId)
      .where('owner', 'in', named)
      .where('block_number', '>', block)
      .execute()
    const ofCancelled = await db
      .selectFrom('subscriptions')
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.chain_id', '=', 'subscriptions.chain_id')
          .onRef('memberships.subscription_id', '=', 'subscriptions.id'),
      )
      .select('memberships.subscriber')
      .where('subscriptions.chain_id', '=', chainId)
      .where('cancelled_block', '>', block)
      .where('memberships.subscriber', 'in', named)
      .execute()
    for (const { subscriber } of [...inEvents, ...inApprovals, ...ofCancelled])
      if (subscriber) changed.add(subscriber)
  })
  return changed
}

function columnsOf({ verdict, sweepAt }: ReadVerdict, block: BlockRef) {
  // It could not be read. What was known before is kept, with its block.
  if (verdict === undefined) return { sweep_at: sweepAt }
  const { firstDay, charges, trouble } = verdict
  return {
    sweep_at: sweepAt,
    block_number: block.number,
    block_timestamp: block.timestamp,
    first_day: firstDay,
    charges,
    trouble: trouble === null ? null : TROUBLES.indexOf(trouble.kind) + 1,
    trouble_day: trouble?.dayNumber ?? null,
    missing_allowance: trouble?.missingAllowance.toString() ?? null,
    missing_balance: trouble?.missingBalance.toString() ?? null,
  }
}
