import { CursorStaleError } from '@remit/engine/errors/chain'
import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

// Keeps the order of a provider's list of members still while somebody pages through it. A member's place in the list depends on
// the days of its next charge and of its trouble, which the sweep and events change. So the order has a version: each transaction
// that changes verdicts takes the next one (`index_chains.placings`). A row of `verdicts` holds the present place and the version
// since which it is so (`placed_at`); `former_places` holds the places that were left, with the version that left them (`left_at`).
// A list is read as of the version of its first page, which its cursors carry.

/** How many versions back a list can be read on: half an hour, if there is a change every two seconds. */
const REMEMBERED_VERSIONS = 1_000

/** A place, whose it is, and since which version. */
type Placed = Pick<
  Selectable<VerdictsTable>,
  'provider' | 'subscriber' | 'subscription_id' | 'placed_at' | 'first_day' | 'trouble_day'
>

/** Takes the next version of the order, and forgets the places that were left long ago. The chain's row is locked from here on. */
export async function nextOrderVersion(db: Transaction<Tables>, chainId: number, step = 1): Promise<number> {
  const { placings } = await db
    .updateTable('index_chains')
    .set((row) => ({ placings: row('placings', '+', step) }))
    .where('chain_id', '=', chainId)
    .returning('placings')
    .executeTakeFirstOrThrow()
  await db
    .deleteFrom('former_places')
    .where('chain_id', '=', chainId)
    .where('left_at', '<=', placings - REMEMBERED_VERSIONS)
    .execute()
  return placings
}

/** Makes the cursors of all lists that were begun stale: the members' rows are about to be deleted. */
export async function endOpenLists(db: Transaction<Tables>, chainId: number): Promise<void> {
  await nextOrderVersion(db, chainId, REMEMBERED_VERSIONS + 1)
}

/** Remembers the places that members leave, of those who do. @param version this transaction's, of `nextOrderVersion` */
export async function rememberLeftPlaces(
  db: Transaction<Tables>,
  chainId: number,
  version: number,
  moves: readonly { readonly from: Placed; readonly to: Pick<Placed, 'first_day' | 'trouble_day'> }[],
): Promise<void> {
  const left = moves.flatMap(({ from, to }) => {
    const { provider, subscriber, subscription_id, placed_at, first_day, trouble_day } = from
    // Whoever came to a place in this same transaction was never seen there.
    if (isSamePlace(from, to) || placed_at === version) return []
    const place = { provider, subscriber, subscription_id, placed_at, first_day, trouble_day }
    return [{ chain_id: chainId, ...place, left_at: version }]
  })
  await inChunks(left, (chunk) => db.insertInto('former_places').values(chunk).execute())
}

/** @returns whether these days give the same place in every order of the list */
export function isSamePlace(
  a: Pick<Placed, 'first_day' | 'trouble_day'>,
  b: Pick<Placed, 'first_day' | 'trouble_day'>,
): boolean {
  return a.first_day === b.first_day && a.trouble_day === b.trouble_day
}

/** Forgets the former places of memberships that end: one that subscribes again comes in with the next list. */
export async function deleteFormerPlaces(
  db: Transaction<Tables>,
  chainId: number,
  some: RawBuilder<SqlBool>,
): Promise<void> {
  await db.deleteFrom('former_places').where('chain_id', '=', chainId).where(some).execute()
}

/**
 * The version of the order as of which a page is read: that of the list's first page, or the newest if this is the first.
 * @throws CursorStaleError if that version is so old that its places are forgotten
 */
export async function orderVersionFor(
  db: Queries,
  chainId: number,
  begun: number | undefined,
): Promise<number> {
  const { placings } = await db
    .selectFrom('index_chains')
    .select('placings')
    .where('chain_id', '=', chainId)
    .executeTakeFirstOrThrow()
  if (begun === undefined) return placings
  if (begun > placings || begun <= placings - REMEMBERED_VERSIONS) throw new CursorStaleError()
  return begun
}

/** A provider's members, each at its place as of a version of the order: a subquery with the columns that lists use. */
export function placesAsOf(chainId: number, provider: string, asOf: number): RawBuilder<Placed> {
  const columns = sql`chain_id, provider, subscriber, subscription_id, placed_at, first_day, trouble_day`
  const theirs = sql`chain_id = ${chainId} and provider = ${provider} and placed_at <= ${asOf}`
  return sql`(select ${columns} from verdicts where ${theirs}
    union all select ${columns} from former_places where ${theirs} and left_at > ${asOf})`
}
