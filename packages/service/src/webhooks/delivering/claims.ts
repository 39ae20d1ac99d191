import { sql, type Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import { storeTime } from '../../store/storeTime.ts'
import type { Tables } from '../../store/tables.ts'
import type { EndpointRow } from '../endpoints/rows.ts'
import { FAILURES_TO_SLOW_DOWN } from './retries.ts'
import { chunksOf } from './rows.ts'

// The claim on an endpoint is the only lock of the delivery. Who has it reads the log for the endpoint, writes its rows and sends.
// It ends by the store's clock, and each later claim has a higher turn: what an older turn would write is dropped. `rows.ts` explains
// the words: endpoint, row, turn, router, woken. In the endpoint's row `due_at` is the end of the claim while it has one.

/** An endpoint that this process may send to. */
export interface Claim {
  readonly endpoint: EndpointRow
  /** How long it had waited for a process. */
  readonly waitedMs: number
}

/** An endpoint while a transaction keeps others from changing it. */
export type LockedEndpoint = Pick<
  EndpointRow,
  'id' | 'turn' | 'claimed' | 'woken' | 'version' | 'paused_at'
> & {
  /** Unix milliseconds of the store's clock. */
  readonly now: number
}

type Kind = Store['kind']

/** Claims endpoints that are due, those first that have waited longest. @param options.failing whether also those that failed last */
export async function claimEndpoints(
  { db: reader, kind, transaction }: Store,
  { most, failing, claimMs }: { readonly most: number; readonly failing: boolean; readonly claimMs: number },
): Promise<readonly Claim[]> {
  const due = (first: number) => sql<{ id: string }>`
    select id from webhook_endpoints
    where due_at <= (select ${storeTime(kind, 0)}) and paused_at is null ${failing ? sql`` : sql`and failures = 0`}
    order by due_at limit ${first}`
  if (most <= 0) return []
  // Nearly always there is nothing, and then nothing is written.
  if ((await due(1).execute(reader)).rows.length === 0) return []
  const { rows } = await transaction((db) =>
    sql<EndpointRow & { readonly claimed_at: number }>`
      update webhook_endpoints set turn = turn + 1, claimed = 1, woken = 0, due_at = ${storeTime(kind, claimMs)}
      where id in (${due(most)} ${kind === 'postgres' ? sql`for update skip locked` : sql``})
      returning *, ${storeTime(kind, 0)} as claimed_at`.execute(db),
  )
  return rows.map(({ claimed_at, ...endpoint }) => ({
    endpoint,
    waitedMs: Math.max(0, claimed_at - (endpoint.waits_since ?? claimed_at)),
  }))
}

/**
 * Keeps endpoints as they are until the transaction ends. All who change endpoints, or what belongs to them, begin with it.
 * They are locked in one order, so that no two processes wait for each other.
 */
export async function lockEndpoints(
  db: Transaction<Tables>,
  kind: Kind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LockedEndpoint>> {
  const held = new Map<string, LockedEndpoint>()
  for (const chunk of chunksOf([...new Set(ids)].toSorted())) {
    const { rows } = await sql<LockedEndpoint>`
      select id, turn, claimed, woken, version, paused_at, ${storeTime(kind, 0)} as now
      from webhook_endpoints where id in (${sql.join(chunk)})
      order by id ${kind === 'postgres' ? sql`for update` : sql``}`.execute(db)
    for (const row of rows) held.set(row.id, row)
  }
  return held
}

/** Renews the claims of turns that run. Resolves with those that are still theirs. */
export async function renewClaims<Turn extends { readonly claim: Claim }>(
  store: Store,
  turns: readonly Turn[],
  claimMs: number,
): Promise<ReadonlySet<Turn>> {
  if (turns.length === 0) return new Set()
  return store.transaction(async (db) => {
    const claimed = turns.map(({ claim }) => claim.endpoint.id)
    const held = await lockEndpoints(db, store.kind, claimed)
    const own = turns.filter(({ claim: { endpoint } }) => owns(endpoint, held.get(endpoint.id)))
    for (const chunk of chunksOf(own)) {
      const ids = chunk.map(({ claim }) => claim.endpoint.id)
      const renewed = db.updateTable('webhook_endpoints').set({ due_at: storeTime(store.kind, claimMs) })
      await renewed.where('id', 'in', ids).execute()
    }
    return new Set(own)
  })
}

/** Whether a turn may write: nobody has claimed its endpoint since. */
export function owns(endpoint: Pick<EndpointRow, 'turn'>, held: LockedEndpoint | undefined): boolean {
  return held !== undefined && held.claimed === 1 && held.turn === endpoint.turn
}

/**
 * Makes endpoints due, at once or a little later. One that has a turn just now is looked at again when that ends. Resolves with
 * those that exist.
 */
export async function wakeEndpoints(
  db: Transaction<Tables>,
  kind: Kind,
  ids: readonly string[],
  afterMs = 0,
): Promise<readonly string[]> {
  const held = await lockEndpoints(db, kind, ids)
  for (const chunk of chunksOf([...held.keys()])) {
    const at = storeTime(kind, afterMs)
    // One that keeps failing is looked at when its wait is over. One that is due already keeps its place among those that wait.
    const isSooner = sql<boolean>`paused_at is null and claimed = 0
      and (due_at is null or (due_at > ${at} and failures < ${sql.lit(FAILURES_TO_SLOW_DOWN)}))`
    await db
      .updateTable('webhook_endpoints')
      .set({
        woken: 1,
        due_at: sql<number>`case when ${isSooner} then ${at} else due_at end`,
        waits_since: sql<number>`case when ${isSooner} then ${at} else waits_since end`,
      })
      .where('id', 'in', chunk)
      .execute()
  }
  return [...held.keys()]
}

/** The next version of all endpoints: routers then read again what these hear. It is also a number that nothing else has. */
export async function nextVersion(db: Transaction<Tables>): Promise<number> {
  const { version } = await db
    .updateTable('webhook_service')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}
