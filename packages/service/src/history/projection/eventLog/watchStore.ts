import { eventId } from '@remit/engine/indexing/events/happenedIn'
import type { BlockRef } from '@remit/engine/ports/history'
import { sql, type Transaction } from 'kysely'
import type { Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { UnloggedState, WatchStore } from '../../projection.ts'
import { lockIndexAtBlock } from '../lockIndexAtBlock.ts'
import { forgetVerdicts } from '../verdicts/updateVerdicts.ts'
import { KINDS } from '../verdicts/VerdictCounts.ts'
import { append, eventRow, type NewEvent, toldFacts, typeNumber, withoutLog } from './writeLog.ts'

/** Remit counts as behind once a charge has waited for so many days. */
const BEHIND_DAYS = 2

/** How many earlier events of a token, or of remit, are read to see what is new. */
const MOST_TOLD = 200

/**
 * The port of `UnloggedStateWatch`: logs which tokens were paused or resumed and makes their verdicts due, and logs that remit is
 * behind. What is new shows by comparison with the log's own events.
 */
export function watchStore(store: Store): WatchStore {
  return {
    logChanges: (lease, block, seen) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        // The index has moved on since `block` was looked at. The next look is soon.
        const isTip = (await lockIndexAtBlock(db, lease, block)) === block.number
        if (!isTip) return
        const paused = await pauses(db, chainId, block, seen)
        // Whether a token is paused decides all charges in it.
        for (const { token } of paused) await forgetVerdicts(db, chainId, sql<boolean>`token = ${token}`)
        // After that, because the charges of tokens that were just found paused do not count.
        const late = await behind(db, chainId, block, seen)
        await append(db, chainId, [...paused, ...late])
      }),
  }
}

async function pauses(db: Transaction<Tables>, chainId: number, block: BlockRef, { tokens }: UnloggedState) {
  const events: NewEvent[] = []
  for (const { address, paused } of tokens) {
    const token = address.toLowerCase()
    const told = await toldOf(db, chainId, token, ['token.paused', 'token.resumed'])
    const wasPaused = told[0]?.type === typeNumber('token.paused')
    if (paused === wasPaused) continue
    const type = paused ? 'token.paused' : 'token.resumed'
    // Numbered, because a token can be paused again: each time is an event with an id of its own.
    const id = eventId(chainId, type, token, told.length + 1)
    events.push(eventRow(type, {}, { ...withoutLog(block), id, token }))
  }
  return events
}

/** `remit.behind`, once for each day at which remit stands. */
async function behind(db: Transaction<Tables>, chainId: number, block: BlockRef, seen: UnloggedState) {
  const { nextUncheckedDay: day, today } = seen
  if (today - day < BEHIND_DAYS) return []
  const told = await toldOf(db, chainId, null, ['remit.behind'])
  if (told.some(({ facts }) => toldFacts(facts).day === day)) return []
  // Days on which nothing is due need no remit, nor do charges that it passes over. Rows below `day` are of days that
  // remit has finished, whose verdicts the sweep has yet to read again; and day 0 counts verdicts, no charges.
  const oldest = await db
    .selectFrom('verdict_counts')
    .select((row) => row.fn.min<number | null>('day_number').as('day'))
    .where('chain_id', '=', chainId)
    .where('day_number', '>=', day)
    .where('kind', '!=', KINDS.indexOf('skipped'))
    .executeTakeFirst()
  if (typeof oldest?.day !== 'number' || oldest.day > today - BEHIND_DAYS) return []
  const daysWaiting = today - oldest.day
  const id = eventId(chainId, 'remit.behind', day)
  return [eventRow('remit.behind', { day, daysWaiting }, { ...withoutLog(block), id })]
}

/** Earlier events of these types, newest first. */
function toldOf(
  db: Transaction<Tables>,
  chainId: number,
  token: string | null,
  types: readonly ('token.paused' | 'token.resumed' | 'remit.behind')[],
) {
  return db
    .selectFrom('event_log')
    .select(['type', 'facts'])
    .where('chain_id', '=', chainId)
    .where('token', token === null ? 'is' : '=', token)
    .where('subscription_id', 'is', null)
    .where('account', 'is', null)
    .where('log_index', 'is', null)
    .where('retracted_by', 'is', null)
    .where('type', 'in', types.map(typeNumber))
    .orderBy('sequence', 'desc')
    .limit(MOST_TOLD)
    .execute()
}
