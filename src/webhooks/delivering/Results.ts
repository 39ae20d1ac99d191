import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { isoTime } from '../../presentation/day.ts'
import type { WebhookPaused } from '../../presentation/webhookMessages.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { EndpointRow } from '../endpoints/toWebhook.ts'
import { type HeldEndpoint, holdEndpoints, nextVersion, owns, wakeEndpoints } from './claims.ts'
import {
  DELIVERY_TYPES,
  type Judged,
  type JudgedDelivery,
  judgeTurn,
  type Turn,
  type TurnResult,
} from './judgeTurn.ts'
import { isMain } from './lanes.ts'
import { FAILURES_TO_PAUSE, pauseAfter, type Retries } from './retries.ts'
import { chunksOf, doneRows, NO_CHAIN, newDelivery, PENDING } from './rows.ts'

/** Turns in one transaction. */
const MOST_TURNS = 200
const GATHER_MS = 10
const TRY_AGAIN_MS = 500
/** Then a write that fails is asked whether it is at fault itself. */
const MOST_TRIES = 5

interface ResultsOptions {
  readonly store: Store
  readonly retries: Retries
  /** What is of other chains is not sent by this process. */
  readonly chainIds: readonly number[]
}

interface Waiting {
  readonly judged: Judged
  readonly written: (result: TurnResult) => void
  readonly failed: (error: unknown) => void
}

/** Writes what came of turns, and ends their claims: several turns in one transaction. */
export class Results {
  readonly #store: Store
  readonly #retries: Retries
  readonly #chainIds: readonly number[]
  #waiting: Waiting[] = []
  #writing = false
  #isLate = false
  #isOver = false

  constructor({ store, retries, chainIds }: ResultsOptions) {
    this.#store = store
    this.#retries = retries
    this.#chainIds = [NO_CHAIN, ...chainIds]
  }

  /** Whether something could not be written just now. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Tries no more than once from now on. */
  giveUp(): void {
    this.#isOver = true
  }

  /**
   * Tries until the store takes it. If the endpoint was claimed by another turn meanwhile, nothing is written: that turn sends
   * it once more.
   */
  write(turn: Turn): Promise<TurnResult> {
    const judged = judgeTurn(turn, this.#retries, Date.now())
    return new Promise((written, failed) => {
      this.#waiting.push({ judged, written, failed })
      if (!this.#writing) void this.#drain()
    })
  }

  /** What comes while a transaction runs is written by the next one. */
  async #drain(): Promise<void> {
    this.#writing = true
    while (this.#waiting.length > 0) {
      // Turns that end in the same moment are written together.
      await sleep(GATHER_MS)
      const batch = this.#waiting.splice(0, MOST_TURNS)
      const isPaused = ({ judged }: Waiting) => judged.result.paused !== undefined
      await this.#writeBatch(batch.filter((one) => !isPaused(one)))
      // Each by itself: it changes other endpoints of its owner, too.
      for (const one of batch.filter(isPaused)) await this.#writeBatch([one])
    }
    this.#writing = false
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return
    for (let tries = 1; ; tries += 1) {
      try {
        const own = await this.#store.transaction((db) =>
          this.#writeAll(
            db,
            batch.map(({ judged }) => judged),
          ),
        )
        this.#isLate = false
        for (const { judged, written } of batch) {
          written(own.has(judged) ? judged.result : { ...judged.result, paused: undefined })
        }
        return
      } catch (error) {
        const isHopeless = this.#isOver || (tries >= MOST_TRIES && (await this.#takesWrites()))
        this.#isLate = !isHopeless
        if (isHopeless) {
          for (const { failed } of batch) failed(error)
          return
        }
        await sleep(TRY_AGAIN_MS)
      }
    }
  }

  /** Then a write that keeps failing is at fault itself, and holds up no others. */
  async #takesWrites(): Promise<boolean> {
    const write = this.#store.transaction((db) =>
      db.updateTable('webhook_deliverers').set({ alive_until: 0 }).where('name', '=', '').execute(),
    )
    return write.then(
      () => true,
      () => false,
    )
  }

  /** As few statements as there can be, whatever the number of turns: each one costs more than what it writes. */
  async #writeAll(db: Transaction<Tables>, all: readonly Judged[]): Promise<ReadonlySet<Judged>> {
    const others = await othersToTell(db, all)
    const held = await holdEndpoints(db, this.#store.kind, [
      ...all.map(({ work }) => work.claim.endpoint.id),
      ...others,
    ])
    const judged = all.filter(({ work }) => owns(work.claim.endpoint, held.get(work.claim.endpoint.id)))
    if (judged.length === 0) return new Set()
    await writeDeliveries(
      db,
      judged.flatMap(({ deliveries }) => deliveries),
    )
    await writeLanes(db, judged, (id) => held.get(id)?.woken === 1)
    const next = await this.#nextTimes(
      db,
      judged.map(({ work }) => work.claim.endpoint.id),
    )
    await writeEndpoints(db, judged, held, next, this.#retries)
    for (const { work, result, standing } of judged) {
      if (result.paused === undefined) continue
      const now = Date.now()
      const { id } = work.claim.endpoint
      if (!(await pauseEndpoint(db, id, result.paused, now))) continue
      const paused = { ...work.claim.endpoint, failing_since: standing?.failingSince ?? null }
      const told = { reason: result.paused, version: await nextVersion(db), now }
      await tellPaused(db, this.#store.kind, paused, others, told)
    }
    return new Set(judged)
  }

  /** When a lane of each endpoint can go on. */
  async #nextTimes(db: Transaction<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await db
      .selectFrom('webhook_lanes')
      .select(['endpoint_id', (row) => row.fn.min<number | null>('next_at').as('next_at')])
      .where('endpoint_id', 'in', ids)
      .where((lane) => lane.or([lane('chain_id', 'in', this.#chainIds), lane('queue', 'like', 'again %')]))
      .groupBy('endpoint_id')
      .execute()
    return new Map(rows.flatMap((row) => (row.next_at === null ? [] : [[row.endpoint_id, row.next_at]])))
  }
}

async function writeDeliveries(db: Transaction<Tables>, rows: readonly JudgedDelivery[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    await sql`
      with ${doneRows(DELIVERY_TYPES, chunk)}
      update webhook_deliveries set state = done.state, attempts = done.attempts,
        first_attempt_at = done.first_attempt_at, attempted_at = done.attempted_at, next_at = done.next_at,
        duration_ms = done.duration_ms, status = done.status, answer = done.answer, failure = done.failure
      from done
      where webhook_deliveries.endpoint_id = done.endpoint_id and webhook_deliveries.chain_id = done.chain_id
        and webhook_deliveries.sequence = done.sequence and webhook_deliveries.state = ${sql.lit(PENDING)}`.execute(
      db,
    )
  }
}

const LANE_TYPES = {
  endpoint_id: 'text',
  chain_id: 'bigint',
  queue: 'text',
  until_sequence: 'bigint',
} as const

async function writeLanes(
  db: Transaction<Tables>,
  judged: readonly Judged[],
  isWoken: (id: string) => boolean,
): Promise<void> {
  const all = judged.flatMap(({ ended }) => ended)
  // An endpoint that was woken meanwhile may have to read on from here: who woke it saw this cursor.
  const stays = all.filter((lane) => isMain(lane) && isWoken(lane.endpoint_id))
  for (const chunk of chunksOf([...judged.flatMap(({ moved }) => moved), ...stays])) {
    await db
      .insertInto('webhook_lanes')
      .values(chunk)
      .onConflict((row) =>
        row.columns(['endpoint_id', 'chain_id', 'queue']).doUpdateSet((set) => ({
          sequence: set.ref('excluded.sequence'),
          next_at: set.ref('excluded.next_at'),
        })),
      )
      .execute()
  }
  for (const chunk of chunksOf(all.filter((lane) => !stays.includes(lane)))) {
    // What an owner wants once more may go further by now.
    await sql`
      with ${doneRows(LANE_TYPES, chunk)}
      delete from webhook_lanes where (endpoint_id, chain_id, queue, coalesce(until_sequence, 0))
        in (select endpoint_id, chain_id, queue, coalesce(until_sequence, 0) from done)`.execute(db)
  }
}

/** `failures` is null where nothing was attempted. */
const ENDPOINT_TYPES = {
  id: 'text',
  failures: 'bigint',
  failing_since: 'bigint',
  delivered_at: 'bigint',
  due_at: 'bigint',
  waits_since: 'bigint',
} as const

/** Ends the claims, and says how endpoints stand and when each is looked at next. */
async function writeEndpoints(
  db: Transaction<Tables>,
  judged: readonly Judged[],
  held: ReadonlyMap<string, HeldEndpoint>,
  next: ReadonlyMap<string, number>,
  retries: Retries,
): Promise<void> {
  const rows = judged.map((one) => {
    const { endpoint } = one.work.claim
    const now = held.get(endpoint.id)?.now ?? Date.now()
    const isWoken = held.get(endpoint.id)?.woken === 1
    const due = dueTimes(one, isWoken, next.get(endpoint.id), now)
    const pause = pauseAfter(one.failures - FAILURES_TO_PAUSE + 1, retries)
    const earliest = one.failures >= FAILURES_TO_PAUSE ? now + pause : 0
    return {
      id: endpoint.id,
      failures: one.standing === undefined ? null : one.failures,
      failing_since: one.standing?.failingSince ?? null,
      delivered_at: one.standing?.deliveredAt ?? null,
      due_at: due === undefined ? null : Math.max(due.at, earliest),
      waits_since: due === undefined ? null : Math.max(due.since, earliest),
    }
  })
  for (const chunk of chunksOf(rows)) {
    await sql`
      with ${doneRows(ENDPOINT_TYPES, chunk)}
      update webhook_endpoints set
        claimed = 0,
        failures = coalesce(done.failures, webhook_endpoints.failures),
        failing_since = case when done.failures is null then webhook_endpoints.failing_since
          else done.failing_since end,
        delivered_at = coalesce(done.delivered_at, webhook_endpoints.delivered_at),
        due_at = case when webhook_endpoints.paused_at is null then done.due_at end,
        waits_since = done.waits_since
      from done where webhook_endpoints.id = done.id`.execute(db)
  }
}

/** When an endpoint is looked at next, and since when it waits then; `undefined` where nothing waits. */
function dueTimes(
  { work: { claim } }: Judged,
  isWoken: boolean,
  next: number | undefined,
  now: number,
): { readonly at: number; readonly since: number } | undefined {
  // By this machine's clock, as it was written.
  const inMs = next === undefined ? undefined : next - Date.now()
  if (isWoken || (inMs !== undefined && inMs <= 0)) {
    // The receiver took the time of the turn. Only the time before it was a wait for a process.
    return { at: now, since: Math.max(now + Math.min(0, inMs ?? 0), now - claim.waitedMs) }
  }
  return inMs === undefined ? undefined : { at: now + inMs, since: now + inMs }
}

/** Stops an endpoint where it is. Resolves with whether it was not paused already. */
export async function pauseEndpoint(
  db: Transaction<Tables>,
  id: string,
  reason: 'owner' | 'gone' | 'failing',
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoints')
    .set({
      paused_at: now,
      paused_reason: reason,
      due_at: sql<number>`case when claimed = 1 then due_at end`,
    })
    .where('id', '=', id)
    .where('paused_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const PAUSED: WebhookPaused['type'] = 'webhook.paused'

/** The other endpoints of an owner that name the type: they are told that one was paused. Nobody else hears of it. */
async function othersToTell(db: Transaction<Tables>, judged: readonly Judged[]): Promise<readonly string[]> {
  const paused = judged.find(({ result }) => result.paused !== undefined)?.work.claim.endpoint
  if (paused === undefined) return []
  const others = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('subject_id', '=', paused.subject_id)
    .where('id', '<>', paused.id)
    .where('types', 'like', `%"${PAUSED}"%`)
    .execute()
  return others.map(({ id }) => id)
}

/** @param others held by this transaction @param told.version no two pauses have the same */
async function tellPaused(
  db: Transaction<Tables>,
  kind: Store['kind'],
  paused: EndpointRow,
  others: readonly string[],
  told: { readonly reason: 'gone' | 'failing'; readonly version: number; readonly now: number },
): Promise<void> {
  const there = await wakeEndpoints(db, kind, others)
  if (there.length === 0) return
  const { id: webhookId, description, failing_since } = paused
  const { reason, version, now } = told
  const id = `evt_${createHash('sha256').update(`${webhookId} ${version} ${now}`).digest('hex').slice(0, 40)}`
  const failingSince = failing_since === null ? null : Math.floor(failing_since / 1_000)
  // Without the URL: whoever receives for the other endpoint need not know it, and it may hold a secret.
  const data = { webhookId, description, reason, failingSince }
  const message: WebhookPaused = { type: PAUSED, id, time: isoTime(Math.floor(now / 1_000)), data }
  const columns = { chain_id: NO_CHAIN, sequence: version, event_id: id, type: PAUSED }
  const queue = `webhook ${webhookId} ${version}`
  const row = { ...columns, queue, body: JSON.stringify(message) }
  await db
    .insertInto('webhook_deliveries')
    .values(there.map((other) => newDelivery(other, row, now)))
    .execute()
  const lane = { chain_id: NO_CHAIN, queue, sequence: version - 1, until_sequence: null, next_at: now }
  await db
    .insertInto('webhook_lanes')
    .values(there.map((endpoint_id) => ({ endpoint_id, ...lane })))
    .execute()
}
