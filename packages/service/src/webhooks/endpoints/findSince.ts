import type { EventLog } from '@remit/engine/ports/events'
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { SINCE_QUEUE } from '../delivering/rows.ts'

/** Events of a chain's log, behind one sequence and up to another. */
interface Range {
  readonly chain_id: number
  readonly sequence: number
  readonly until_sequence: number
}

/**
 * The part of a chain's log from a time on; `undefined` where the chain has no log yet. A binary search finds it, because the log is
 * in the order of its blocks.
 * @param since unix seconds
 */
export async function findSince(
  events: EventLog,
  chainId: number,
  since: number,
): Promise<Range | undefined> {
  const state = await events.state(chainId)
  if (state === undefined) return undefined
  const { sequence: until_sequence } = state
  let [low, high] = [0, until_sequence]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const page = await events.read(chainId, { after: middle, first: 1, filters: {}, finality: 'seen' })
    const timestamp = page.events[0]?.block.timestamp
    if (timestamp === undefined || timestamp >= since) high = middle
    else low = middle + 1
  }
  return { chain_id: chainId, sequence: low, until_sequence }
}

/** Has an endpoint sent the events of a range once more, by a cursor. If it has such a cursor already, both ranges become one. */
export async function askAgain(db: Transaction<Tables>, endpointId: string, range: Range): Promise<void> {
  const before = await db
    .selectFrom('webhook_lanes')
    .select(['sequence', 'until_sequence'])
    .where('endpoint_id', '=', endpointId)
    .where('chain_id', '=', range.chain_id)
    .where('queue', '=', SINCE_QUEUE)
    .executeTakeFirst()
  const cursor = {
    endpoint_id: endpointId,
    chain_id: range.chain_id,
    queue: SINCE_QUEUE,
    sequence: Math.min(range.sequence, before?.sequence ?? range.sequence),
    until_sequence: Math.max(range.until_sequence, before?.until_sequence ?? 0),
  }
  await db
    .insertInto('webhook_lanes')
    .values(cursor)
    .onConflict((row) => row.columns(['endpoint_id', 'chain_id', 'queue']).doUpdateSet(cursor))
    .execute()
}
