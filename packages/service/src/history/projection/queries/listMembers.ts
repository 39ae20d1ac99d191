import { ValidationError } from '@remit/engine/errors/input'
import type { ListedMember, MemberListQuery, VerdictQueries } from '@remit/engine/ports/verdicts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { getAddress } from 'viem'
import type { PaymentsTable, VerdictsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks } from '../columns.ts'
import { kindNumber } from '../payments/writePayments.ts'
import { orderVersionFor, placesAsOf } from '../verdicts/memberPlaces.ts'
import { subscribedAt, TERMS, type TermsRow, termsOf, troubleOf } from './verdicts.ts'

/** Stands for the next charge of a member whose verdict is not read yet: later than every day of the calendar, so it comes last. */
const UNREAD = sql.lit(9_999_999)
/** Added to the days of members who will pay, to put them behind all who will not. */
const BEHIND = sql.lit(10_000_000)

type Key = Pick<Selectable<VerdictsTable>, 'subscription_id' | 'subscriber'>

/**
 * A page of a provider's active members, as the desk of the site lists them, with how many members the query finds. First the keys
 * (subscription, subscriber) of the page are found; what else its rows need is then read for these alone, not for all that were sorted.
 * All pages are in the order as of the first one (`memberPlaces.ts`): each account that was a member then comes once, unless it has
 * left. The rows say what is so now.
 * @throws CursorStaleError if too much has happened since then
 * @throws ValidationError if `after` is no cursor of this list
 */
export async function listMembers(
  db: Queries,
  chainId: number,
  query: MemberListQuery,
): ReturnType<VerdictQueries['members']> {
  const { first, order } = query
  const start = query.after === undefined ? undefined : placeOf(query.after, query)
  const asOf = await orderVersionFor(db, chainId, start?.asOf)
  const found = matching(db, chainId, query, asOf)
  const { total } = await found
    .select((row) => row.fn.countAll<number | string | bigint>().as('total'))
    .executeTakeFirstOrThrow()
  const key = sortKey(query)
  const page = await found
    .select(['subscription_id', 'subscriber'])
    .select(key.as('key'))
    .$if(start !== undefined, (some) =>
      some.where(
        sql<boolean>`(${key}, subscriber, subscription_id) ${sql.raw(order === 'asc' ? '>' : '<')}
          (cast(${start?.key} as bigint), ${start?.subscriber}, ${start?.id})`,
      ),
    )
    .orderBy('key', order)
    .orderBy('subscriber', order)
    .orderBy('subscription_id', order)
    .limit(first + 1)
    .execute()
  const shown = page.slice(0, first)
  const last = page.length > first ? shown.at(-1) : undefined
  return {
    rows: await readMembers(db, chainId, shown),
    // Postgres tells counts as text.
    total: Number(total),
    nextCursor:
      last === undefined
        ? null
        : `${query.sort}-${order}-${asOf}-${last.key}-${last.subscriber}-${last.subscription_id}`,
  }
}

/** The members that the query is about, at their places as of a version of the order. */
function matching(
  db: Queries,
  chainId: number,
  { provider, subscriptionId, address }: MemberListQuery,
  asOf: number,
) {
  let query = db.selectFrom(placesAsOf(chainId, provider.toLowerCase(), asOf).as('places'))
  if (subscriptionId !== undefined) {
    query = query.where('subscription_id', '=', subscriptionId.toLowerCase())
  }
  if (address === undefined) return query
  const pattern = 'part' in address ? `%${address.part}%` : `${address.begin}%${address.end}`
  return query.where('subscriber', 'like', pattern)
}

/** What rows are sorted by. All of them are integers, so that one form of cursor does. */
function sortKey({ sort }: MemberListQuery): RawBuilder<number> {
  switch (sort) {
    case 'trouble':
      return sql`coalesce(trouble_day, ${BEHIND} + coalesce(first_day, ${UNREAD}))`
    case 'nextCharge':
      return sql`coalesce(first_day, ${UNREAD})`
    case 'subscribedAt':
      return sql`(${subscribedAt('places')})`
    case 'subscriber':
      // All alike: the subscriber, which follows every key, decides.
      return sql`0`
  }
}

/** Reads a cursor: sort, order, version of the order, then sort key, subscriber and subscription of the last row. */
function placeOf(cursor: string, { sort, order }: MemberListQuery) {
  const match = /^([a-zA-Z]+)-(asc|desc)-(\d{1,12})-(\d{1,10})-(0x[0-9a-f]{40})-(0x[0-9a-f]{64})$/.exec(
    cursor,
  )
  const [, ofSort, ofOrder, asOf, key, subscriber, id] = match ?? []
  if (ofSort !== sort || ofOrder !== order || key === undefined) {
    throw ValidationError.of('after', 'must be the nextCursor of an earlier page of the same list')
  }
  return { asOf: Number(asOf), key: Number(key), subscriber, id }
}

/** The members by these keys, in the order of the keys. */
async function readMembers(db: Queries, chainId: number, keys: readonly Key[]): Promise<ListedMember[]> {
  const found = new Map<string, ListedMember>()
  await inChunks(
    keys.map(({ subscription_id, subscriber }) => ({ subscription_id, subscriber })),
    async (chunk) => {
      const asked = sql.join(chunk.map((one) => sql`(${one.subscription_id}, ${one.subscriber})`))
      const rows = await db
        .selectFrom('verdicts')
        .innerJoin('subscriptions', (join) =>
          join
            .onRef('subscriptions.chain_id', '=', 'verdicts.chain_id')
            .onRef('subscriptions.id', '=', 'verdicts.subscription_id'),
        )
        .innerJoin('payments as joined', (join) =>
          join
            .onRef('joined.chain_id', '=', 'verdicts.chain_id')
            .onRef('joined.subscription_id', '=', 'verdicts.subscription_id')
            .onRef('joined.subscriber', '=', 'verdicts.subscriber')
            .on(isNewest('joined', JOINING)),
        )
        .leftJoin('payments as paid', (join) =>
          join
            .onRef('paid.chain_id', '=', 'verdicts.chain_id')
            .onRef('paid.subscription_id', '=', 'verdicts.subscription_id')
            .onRef('paid.subscriber', '=', 'verdicts.subscriber')
            .on(isNewest('paid', REMITTED)),
        )
        .select([...TERMS, 'verdicts.subscriber'])
        .select(['verdicts.block_number', 'verdicts.block_timestamp', 'first_day', 'charges'])
        .select(['trouble', 'trouble_day', 'missing_allowance', 'missing_balance'])
        .select(['joined.timestamp', 'joined.to_provider', 'joined.to_fee_balance'])
        .select(['joined.block_number as joined_block', 'joined.log_index as joined_log'])
        .select(['paid.day as paid_day', 'paid.block_number as paid_block', 'paid.log_index as paid_log'])
        .where('verdicts.chain_id', '=', chainId)
        .where(sql<boolean>`(verdicts.subscription_id, verdicts.subscriber) in (values ${asked})`)
        .execute()
      for (const row of rows) found.set(`${row.id} ${row.subscriber}`, listedMember(row))
    },
  )
  return keys.map(({ subscription_id, subscriber }) => {
    const member = found.get(`${subscription_id} ${subscriber}`)
    if (member === undefined) throw new Error(`the store lacks how ${subscriber} joined ${subscription_id}`)
    return member
  })
}

const JOINING = [kindNumber('firstCharge')]
const REMITTED = [kindNumber('period'), kindNumber('feeFill')]

/** SQL for whether a payment is the newest of these kinds of its membership in `verdicts`. */
function isNewest(alias: 'joined' | 'paid', kinds: readonly number[]): RawBuilder<boolean> {
  return sql`(${sql.ref(`${alias}.block_number`)}, ${sql.ref(`${alias}.log_index`)}) = (
    select newest.block_number, newest.log_index from payments as newest
    where newest.chain_id = verdicts.chain_id
      and newest.subscription_id = verdicts.subscription_id
      and newest.subscriber = verdicts.subscriber
      and newest.kind in (${sql.join(kinds)})
    order by newest.block_number desc, newest.log_index desc limit 1)`
}

type Row = TermsRow &
  Pick<
    Selectable<VerdictsTable>,
    | 'subscriber'
    | 'block_number'
    | 'block_timestamp'
    | 'first_day'
    | 'charges'
    | 'trouble'
    | 'trouble_day'
    | 'missing_allowance'
    | 'missing_balance'
  > &
  Pick<Selectable<PaymentsTable>, 'timestamp' | 'to_provider' | 'to_fee_balance'> & {
    readonly joined_block: number
    readonly joined_log: number
    readonly paid_day: number | null
    readonly paid_block: number | null
    readonly paid_log: number | null
  }

function listedMember(row: Row): ListedMember {
  const { paid_block, paid_log, joined_block, joined_log, charges, block_number, block_timestamp } = row
  // Whether remit's last payment is of this membership: one before the subscriber last joined was of an earlier one.
  const isSince =
    paid_block !== null &&
    (paid_block > joined_block || (paid_block === joined_block && (paid_log ?? 0) > joined_log))
  return {
    subscriber: getAddress(row.subscriber),
    terms: termsOf(row),
    joined: {
      timestamp: row.timestamp,
      toProvider: BigInt(row.to_provider),
      toFeeBalance: BigInt(row.to_fee_balance),
    },
    lastPaidDay: isSince ? row.paid_day : null,
    verdict:
      charges === null || block_number === null
        ? null
        : {
            firstDay: row.first_day,
            charges,
            trouble: troubleOf(row),
            blockNumber: block_number,
            blockTimestamp: block_timestamp ?? 0,
          },
  }
}
