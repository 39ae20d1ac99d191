import { CursorStaleError } from '@remit/engine/errors/chain'
import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

// A member's place in lists depends on the day of its next charge and on that of its trouble, which a sweep and every event
// change. The place that it leaves is remembered for a while, so that a list goes on in the order in which it began.

/** For so many changes a list can be read on: for half an hour, if there is one every two seconds. */
const REMEMBERED = 1_000

/** What a place is made of. */
type Placed = Pick<
  Selectable<VerdictsTable>,
  'provider' | 'subscriber' | 'subscription_id' | 'placed_at' | 'first_day' | 'trouble_day'
>

/** Numbers a change of places, and forgets those that were left long ago. The chain's row is locked from here on. */
export async function beginPlacing(db: Transaction<Tables>, chainId: number, steps = 1): Promise<number> {
  const { placings } = await db
    .updateTable('index_chains')
    .set((row) => ({ placings: row('placings', '+', steps) }))
    .where('chain_id', '=', chainId)
    .returning('placings')
    .executeTakeFirstOrThrow()
  await db
    .deleteFrom('former_places')
    .where('chain_id', '=', chainId)
    .where('left_at', '<=', placings - REMEMBERED)
    .execute()
  return placings
}

/** After this no list can be read on that was begun before. */
export async function forgetPlaces(db: Transaction<Tables>, chainId: number): Promise<void> {
  await beginPlacing(db, chainId, REMEMBERED + 1)
}

/** Remembers the places that these leave, where they do. @param at as `beginPlacing` gives it */
export async function leavePlaces(
  db: Transaction<Tables>,
  chainId: number,
  at: number,
  moves: readonly { readonly from: Placed; readonly to: Pick<Placed, 'first_day' | 'trouble_day'> }[],
): Promise<void> {
  const left = moves.flatMap(({ from, to }) => {
    const { provider, subscriber, subscription_id, placed_at, first_day, trouble_day } = from
    // Who is placed and leaves in one change was never seen there.
    if (isSamePlace(from, to) || placed_at === at) return []
    const place = { provider, subscriber, subscription_id, placed_at, first_day, trouble_day }
    return [{ chain_id: chainId, ...place, left_at: at }]
  })
  await inChunks(left, (chunk) => db.insertInto('former_places').values(chunk).execute())
}

export function isSamePlace(
  a: Pick<Placed, 'first_day' | 'trouble_day'>,
  b: Pick<Placed, 'first_day' | 'trouble_day'>,
): boolean {
  return a.first_day === b.first_day && a.trouble_day === b.trouble_day
}

/** Whose membership ends has no places any more: if it subscribes again, it comes with the next list. */
export async function deletePlaces(
  db: Transaction<Tables>,
  chainId: number,
  some: RawBuilder<SqlBool>,
): Promise<void> {
  await db.deleteFrom('former_places').where('chain_id', '=', chainId).where(some).execute()
}

/**
 * The number of the change of places as of which a list is read: that of its first page, or the newest.
 * @throws CursorStaleError if so many came after it that the places of then are forgotten
 */
export async function placingOf(db: Queries, chainId: number, begun: number | undefined): Promise<number> {
  const { placings } = await db
    .selectFrom('index_chains')
    .select('placings')
    .where('chain_id', '=', chainId)
    .executeTakeFirstOrThrow()
  if (begun === undefined) return placings
  if (begun > placings || begun <= placings - REMEMBERED) throw new CursorStaleError()
  return begun
}

/** A provider's members, each at its place as of a change of places: rows with the columns that lists use. */
export function placesOf(chainId: number, provider: string, asOf: number): RawBuilder<Placed> {
  const columns = sql`chain_id, provider, subscriber, subscription_id, placed_at, first_day, trouble_day`
  const theirs = sql`chain_id = ${chainId} and provider = ${provider} and placed_at <= ${asOf}`
  return sql`(select ${columns} from verdicts where ${theirs}
    union all select ${columns} from former_places where ${theirs} and left_at > ${asOf})`
}
