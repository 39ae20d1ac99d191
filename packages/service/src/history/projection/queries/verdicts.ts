import { ValidationError } from '@remit/engine/errors/input'
import type {
  ChargedMembership,
  ExpectedCharges,
  KnownVerdict,
  TroubledMembership,
  VerdictQueries,
  VerdictScope,
} from '@remit/engine/ports/verdicts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { SUBSCRIPT_EVENT_NUMBERS } from '@remit/protocol/logs/events'
import { parseFrequency, type SubscriptionTerms } from '@remit/protocol/subscription'
import { expressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely'
import { getAddress } from 'viem'
import type { SubscriptionsTable, VerdictsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks, toHex } from '../columns.ts'
import { DECISIVE_LIST } from '../step/memberships.ts'
import { KINDS } from '../verdicts/VerdictCounts.ts'
import { TROUBLES } from '../verdicts/verdictStore.ts'

// Queries about verdicts. A verdict is what the sweep has read of one membership: day by day, which of its coming charges will be paid
// (`charges`, from `first_day` on), and the first that will not (`trouble`). `verdict_counts` holds the numbers of charges by day.

/** The columns of `TermsRow`. */
export const TERMS = [
  'id',
  'subscriptions.provider',
  'subscriptions.token',
  'amount',
  'subscriptions.frequency',
  'subscriptions.due_day',
  'cancelled',
] as const

/** The number of `blocked` in the table. A literal, because only then does a database use the partial index. */
const BLOCKED = sql.lit(TROUBLES.indexOf('blocked') + 1)

/** A subquery: when the account of a membership last subscribed, in unix seconds. @param members the outer query's name for its memberships */
export function subscribedAt(members: 'verdicts' | 'places' = 'verdicts') {
  return (
    expressionBuilder<Tables, never>()
      .selectFrom('events')
      .select('timestamp')
      .where('events.chain_id', '=', sql.ref<number>(`${members}.chain_id`))
      .where('events.subscription_id', '=', sql.ref<string>(`${members}.subscription_id`))
      .where('events.subscriber', '=', sql.ref<string>(`${members}.subscriber`))
      // Narrowed by the next line. But this is the condition of the partial index `events_by_membership`, which is used only with it.
      .where('event', 'in', DECISIVE_LIST)
      .where('event', '=', SUBSCRIPT_EVENT_NUMBERS.Subscribed)
      .orderBy('events.block_number', 'desc')
      .orderBy('events.log_index', 'desc')
      .limit(1)
  )
}

/**
 * The queries of `VerdictQueries`, which says what each answers. "Scope" is one provider or one subscription.
 * @param indexTimestamp of the index's block, in unix seconds
 */
export function verdictQueries(
  db: Queries,
  chainId: number,
  indexTimestamp: number,
): Omit<VerdictQueries, 'members'> {
  const scoped = (scope: VerdictScope) => {
    const query = db.selectFrom('verdicts').where('verdicts.chain_id', '=', chainId)
    return 'provider' in scope
      ? query.where('verdicts.provider', '=', scope.provider.toLowerCase())
      : query.where('verdicts.subscription_id', '=', scope.subscriptionId.toLowerCase())
  }
  /** Verdicts with the terms of their subscriptions. */
  const withTerms = () =>
    db
      .selectFrom('verdicts')
      .innerJoin('subscriptions', (join) =>
        join
          .onRef('subscriptions.chain_id', '=', 'verdicts.chain_id')
          .onRef('subscriptions.id', '=', 'verdicts.subscription_id'),
      )
      .select([...TERMS, 'subscriber'])
      .where('verdicts.chain_id', '=', chainId)
  const scopedWithTerms = (scope: VerdictScope) =>
    'provider' in scope
      ? withTerms().where('verdicts.provider', '=', scope.provider.toLowerCase())
      : withTerms().where('verdicts.subscription_id', '=', scope.subscriptionId.toLowerCase())
  /** The counts of a scope. Their index begins with the provider, so the provider of a single subscription is looked up first. */
  const counted = async (scope: VerdictScope) => {
    const query = db
      .selectFrom('verdict_counts')
      .innerJoin('subscriptions', (join) =>
        join
          .onRef('subscriptions.chain_id', '=', 'verdict_counts.chain_id')
          .onRef('subscriptions.id', '=', 'verdict_counts.subscription_id'),
      )
      .where('verdict_counts.chain_id', '=', chainId)
    if ('provider' in scope) return query.where('verdict_counts.provider', '=', scope.provider.toLowerCase())
    const id = scope.subscriptionId.toLowerCase()
    const row = await db
      .selectFrom('subscriptions')
      .select('provider')
      .where('chain_id', '=', chainId)
      .where('id', '=', id)
      .executeTakeFirst()
    return query
      .where('verdict_counts.provider', '=', row?.provider ?? '')
      .where('verdict_counts.subscription_id', '=', id)
  }
  return {
    indexDay: dayNumberAt(indexTimestamp),

    async blockedCharges(untilDay, first, fromDay = 0) {
      const rows = await db
        .selectFrom('verdicts')
        .selectAll()
        .where('chain_id', '=', chainId)
        .where('trouble', '=', BLOCKED)
        .where('trouble_day', '>=', fromDay)
        .where('trouble_day', '<=', untilDay)
        .orderBy('trouble_day')
        .limit(first)
        .execute()
      return rows.map((row) => ({
        subscriptionId: toHex(row.subscription_id),
        subscriber: getAddress(row.subscriber),
        provider: getAddress(row.provider),
        token: getAddress(row.token),
        dayNumber: row.trouble_day ?? 0,
        blockNumber: row.block_number ?? 0,
        blockTimestamp: row.block_timestamp ?? 0,
      }))
    },

    async expectedCharges(scope, untilDay) {
      const rows = await (await counted(scope))
        .select([...TERMS, 'day_number', 'kind', 'count'])
        .where('day_number', '>', 0)
        .where('day_number', '<=', untilDay)
        .execute()
      return rows.map((row) => ({
        terms: termsOf(row),
        dayNumber: row.day_number,
        kind: kindOf(row.kind),
        count: row.count,
      }))
    },

    async troubledMemberships(scope, untilDay, { first, after }) {
      const start = after === undefined ? undefined : placeOf(after)
      let query = scopedWithTerms(scope)
        .select(['block_number', 'block_timestamp'])
        .select(['trouble', 'trouble_day', 'missing_allowance', 'missing_balance'])
        .select(subscribedAt().as('subscribed_at'))
        .where('trouble_day', '<=', untilDay)
      if (start !== undefined) {
        query = query.where(
          sql<boolean>`(trouble_day, subscriber, subscription_id) >
            (cast(${start.day} as bigint), ${start.subscriber}, ${start.id})`,
        )
      }
      const rows = await query
        .orderBy('trouble_day')
        .orderBy('subscriber')
        .orderBy('subscription_id')
        .limit(first + 1)
        .execute()
      const shown = rows.slice(0, first)
      const last = shown.at(-1)
      const nextCursor =
        rows.length > first && last ? `${last.trouble_day}-${last.subscriber}-${last.id}` : null
      return { rows: shown.map(troubledMembership), nextCursor }
    },

    async chargedThrough(scope, untilDay, first) {
      // Those without a verdict come first: whether they are charged by then is not known.
      const unread = sql<boolean>`first_day is null and charges is null`
      const known = sql<boolean>`first_day <= ${untilDay}`
      const rowsOf = (some: RawBuilder<boolean>, most: number) =>
        scopedWithTerms(scope)
          .select(['first_day', 'charges'])
          .select(subscribedAt().as('subscribed_at'))
          .where(some)
          .orderBy('first_day')
          .orderBy('subscriber')
          .orderBy('subscription_id')
          .limit(most)
          .execute()
      const rows = await rowsOf(unread, first)
      if (rows.length < first) rows.push(...(await rowsOf(known, first - rows.length)))
      let total = 0
      for (const some of [unread, known]) {
        const { count } = await scoped(scope)
          .where(some)
          .select((row) => row.fn.countAll<number | string | bigint>().as('count'))
          .executeTakeFirstOrThrow()
        total += Number(count)
      }
      return { rows: rows.map(knownVerdict), total }
    },

    async verdictAges(scope) {
      /** The oldest or newest block at which a verdict was read; `null` where none was. */
      const at = async (order: 'asc' | 'desc') => {
        const row = await scoped(scope)
          .select(['block_number', 'block_timestamp'])
          .where('block_number', '>=', 0)
          .orderBy('block_number', order)
          .limit(1)
          .executeTakeFirst()
        if (row === undefined || row.block_number === null) return null
        return { blockNumber: row.block_number, timestamp: row.block_timestamp ?? 0 }
      }
      const read = await (await counted(scope))
        .select((row) => row.fn.sum<string | number | null>('count').as('memberships'))
        // Day 0 holds the number of memberships that have a verdict.
        .where('day_number', '=', 0)
        .executeTakeFirst()
      const active = await activeMemberships(db, chainId, scope)
      return {
        memberships: active,
        unread: active - Number(read?.memberships ?? 0),
        oldest: await at('asc'),
        newest: await at('desc'),
      }
    },

    async chargedMemberships(payers) {
      const found: ChargedMembership[] = []
      const asked = payers.map(({ subscriber, token }) => ({
        subscriber: subscriber.toLowerCase(),
        token: token.toLowerCase(),
      }))
      await inChunks(asked, async (chunk) => {
        const rows = await withTerms()
          .where(
            sql<boolean>`(verdicts.subscriber, verdicts.token) in
              (values ${sql.join(chunk.map((payer) => sql`(${payer.subscriber}, ${payer.token})`))})`,
          )
          .execute()
        found.push(...rows.map((row) => ({ subscriber: getAddress(row.subscriber), terms: termsOf(row) })))
      })
      // Remit's own order of a due list is not always known. This one stands in for it: it is the same each time.
      return found.sort((a, b) => (a.terms.id < b.terms.id ? -1 : 1))
    },
  }
}

/** The number of active memberships, by the counts that are kept for each subscription. */
async function activeMemberships(db: Queries, chainId: number, scope: VerdictScope): Promise<number> {
  const query = db
    .selectFrom('subscriptions')
    .select((row) => row.fn.sum<string | number | null>('subscribers').as('active'))
    .where('subscriptions.chain_id', '=', chainId)
    .where('cancelled', '=', 0)
  const row = await ('provider' in scope
    ? query.where('provider', '=', scope.provider.toLowerCase())
    : query.where('id', '=', scope.subscriptionId.toLowerCase())
  ).executeTakeFirst()
  return Number(row?.active ?? 0)
}

export type TermsRow = Pick<
  Selectable<SubscriptionsTable>,
  'id' | 'provider' | 'token' | 'amount' | 'frequency' | 'due_day' | 'cancelled'
>

/** The terms of a row, as the contract has them. */
export function termsOf(row: TermsRow): SubscriptionTerms {
  return {
    id: toHex(row.id),
    amount: BigInt(row.amount),
    provider: getAddress(row.provider),
    token: getAddress(row.token),
    cancelled: row.cancelled === 1,
    frequency: parseFrequency(row.frequency),
    dueDay: row.due_day,
  }
}

function knownVerdict(
  row: TermsRow & {
    readonly subscriber: string
    readonly first_day: number | null
    readonly charges: string | null
    readonly subscribed_at: number | null
  },
): KnownVerdict {
  return {
    subscriber: getAddress(row.subscriber),
    terms: termsOf(row),
    firstDay: row.first_day,
    charges: row.charges,
    subscribedAt: whenSubscribed(row),
  }
}

/** The trouble of a verdict's row; `null` where all its charges are paid, or it is not read yet. */
export function troubleOf(
  row: Pick<Selectable<VerdictsTable>, 'trouble' | 'trouble_day' | 'missing_allowance' | 'missing_balance'>,
): TroubledMembership['trouble'] | null {
  const kind = TROUBLES[(row.trouble ?? 0) - 1]
  if (kind === undefined || row.trouble_day === null) return null
  return {
    kind,
    dayNumber: row.trouble_day,
    missingAllowance: BigInt(row.missing_allowance ?? 0),
    missingBalance: BigInt(row.missing_balance ?? 0),
  }
}

function whenSubscribed(row: { readonly subscriber: string; readonly subscribed_at: number | null }): number {
  if (row.subscribed_at !== null) return row.subscribed_at
  throw new Error(`the store lacks the log by which ${row.subscriber} subscribed`)
}

function kindOf(kind: number): ExpectedCharges['kind'] {
  const name = KINDS[kind]
  if (name === undefined || name === 'read') throw new Error(`the store counts charges of kind ${kind}`)
  return name
}

function troubledMembership(
  row: TermsRow &
    Selectable<
      Pick<
        VerdictsTable,
        | 'subscriber'
        | 'block_number'
        | 'block_timestamp'
        | 'trouble'
        | 'trouble_day'
        | 'missing_allowance'
        | 'missing_balance'
      >
    > & { readonly subscribed_at: number | null },
): TroubledMembership {
  const trouble = troubleOf(row)
  if (trouble === null || row.block_number === null) {
    throw new Error(`the store holds half a verdict on ${row.id} and ${row.subscriber}`)
  }
  return {
    subscriber: getAddress(row.subscriber),
    terms: termsOf(row),
    trouble,
    blockNumber: row.block_number,
    blockTimestamp: row.block_timestamp ?? 0,
    subscribedAt: whenSubscribed(row),
  }
}

/** Reads a cursor of `troubledMemberships`. Verdicts change under a reader, so it names a place in their order and no row. */
function placeOf(cursor: string): { day: number; subscriber: string; id: string } {
  const match = /^(\d{1,7})-(0x[0-9a-f]{40})-(0x[0-9a-f]{64})$/.exec(cursor)
  const [, day, subscriber, id] = match ?? []
  if (day === undefined || subscriber === undefined || id === undefined) {
    throw ValidationError.of('after', 'must be the nextCursor of an earlier page of the same list')
  }
  return { day: Number(day), subscriber, id }
}
