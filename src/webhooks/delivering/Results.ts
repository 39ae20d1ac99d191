import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { isoTime } from '../../presentation/day.ts'
import type { WebhookPaused } from '../../presentation/webhookMessages.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { DEAD, DELIVERED, NO_CHAIN, PENDING } from '../endpoints/DeliveryStore.ts'
import type { EndpointRow } from '../endpoints/toWebhook.ts'
import { isDelivered, type Outcome } from '../Outcome.ts'
import {
  chunksOf,
  doneRows,
  type HeldEndpoint,
  holdEndpoints,
  nextVersion,
  owns,
  wakeEndpoints,
} from './claims.ts'
import { FAILURES_TO_PAUSE, pauseAfter, type Retries } from './retries.ts'
import { newDelivery, type WaitingDelivery, type Work } from './takeWork.ts'

/** Turns in one transaction. */
const MOST_TURNS = 200
const GATHER_MS = 10
const TRY_AGAIN_MS = 500
/** When to look again where something cannot be read yet. */
const SOON_MS = 1_000
const GONE = 410

/** One attempt and what came of it. */
export interface Attempt {
  readonly delivery: WaitingDelivery
  readonly at: number
  readonly outcome: Outcome
}

/** A turn of an endpoint: its attempts, in their order. */
interface Turn {
  readonly work: Work
  readonly attempts: readonly Attempt[]
}

/** What became of a delivery, for who counts. */
type Ending = 'delivered' | 'failed' | 'dead'

export interface TurnResult {
  readonly endings: readonly Ending[]
  readonly paused: 'gone' | 'failing' | undefined
}

const ENDINGS: Readonly<Record<number, Ending>> = {
  [PENDING]: 'failed',
  [DELIVERED]: 'delivered',
  [DEAD]: 'dead',
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
  #waiting: Waiting[] = []
  #writing = false
  #isLate = false
  #isOver = false

  constructor(store: Store, retries: Retries) {
    this.#store = store
    this.#retries = retries
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
    for (;;) {
      try {
        await this.#store.transaction((db) =>
          this.#writeAll(
            db,
            batch.map(({ judged }) => judged),
          ),
        )
        this.#isLate = false
        for (const { judged, written } of batch) written(judged.result)
        return
      } catch (error) {
        this.#isLate = !this.#isOver
        if (this.#isOver) {
          for (const { failed } of batch) failed(error)
          return
        }
        await sleep(TRY_AGAIN_MS)
      }
    }
  }

  /** As few statements as there can be, whatever the number of turns: each one costs more than what it writes. */
  async #writeAll(db: Transaction<Tables>, all: readonly Judged[]): Promise<void> {
    const others = await othersToTell(db, all)
    const held = await holdEndpoints(db, this.#store.kind, [
      ...all.map(({ work }) => work.endpoint.id),
      ...others,
    ])
    const judged = all.filter(({ work: { endpoint } }) => owns(endpoint, held.get(endpoint.id)))
    if (judged.length === 0) return
    await writeDeliveries(
      db,
      judged.flatMap(({ deliveries }) => deliveries),
    )
    await writeEndpoints(db, judged, held, this.#retries)
    for (const { work, result, standing } of judged) {
      if (result.paused === undefined) continue
      const now = Date.now()
      const { id } = work.endpoint
      if (!(await pauseEndpoint(db, id, result.paused, now))) continue
      const paused = { ...work.endpoint, failing_since: standing?.failingSince ?? null }
      const told = { reason: result.paused, version: await nextVersion(db), now }
      await tellPaused(db, this.#store.kind, paused, others, told)
    }
  }
}

/** What a turn makes of an endpoint and of its deliveries. */
interface Judged {
  readonly work: Work
  readonly failures: number
  /** `undefined` where nothing was attempted. */
  readonly standing: { readonly failingSince: number | null; readonly deliveredAt: number | null } | undefined
  readonly deliveries: readonly JudgedDelivery[]
  /** Since when something is there that could be sent at once. */
  readonly since: number | undefined
  readonly result: TurnResult
}

/** What says which delivery it is, and what attempts change of it. */
const DELIVERY_TYPES = {
  endpoint_id: 'text',
  chain_id: 'bigint',
  sequence: 'bigint',
  state: 'bigint',
  attempts: 'bigint',
  first_attempt_at: 'bigint',
  attempted_at: 'bigint',
  next_at: 'bigint',
  duration_ms: 'bigint',
  status: 'bigint',
  answer: 'text',
  failure: 'text',
} as const

type JudgedDelivery = Pick<WebhookDeliveriesTable, keyof typeof DELIVERY_TYPES>

function judgeTurn({ work, attempts }: Turn, retries: Retries, now: number): Judged {
  const counted = attempts.filter(({ outcome }) => !('failure' in outcome && outcome.failure === 'stopped'))
  let { failures, failing_since: failingSince } = work.endpoint
  let deliveredAt: number | null = null
  for (const { outcome, at } of counted) {
    const delivered = isDelivered(outcome)
    failures = delivered ? 0 : failures + 1
    failingSince = delivered ? null : (failingSince ?? at)
    if (delivered) deliveredAt = at
  }
  const deliveries = counted.map((attempt) => judgeAttempt(attempt, retries))
  const isGone = counted.some(({ outcome }) => 'status' in outcome && outcome.status === GONE)
  const isFailing = failingSince !== null && now - failingSince >= retries.pauseEndpointAfterMs
  const failed = new Set(
    counted.flatMap(({ delivery, outcome }) => (isDelivered(outcome) ? [] : [delivery.queue])),
  )
  const late = [...work.rest.late].flatMap(([queue, since]) => (failed.has(queue) ? [] : [since]))
  const ready = work.rest.since === undefined ? late : [...late, work.rest.since]
  return {
    work,
    failures,
    standing: counted.length === 0 ? undefined : { failingSince, deliveredAt },
    deliveries,
    since: ready.length === 0 ? undefined : Math.min(...ready),
    result: {
      endings: deliveries.map(({ state }) => ENDINGS[state] ?? 'failed'),
      paused: isGone ? 'gone' : isFailing && counted.length > 0 ? 'failing' : undefined,
    },
  }
}

function judgeAttempt({ delivery, at, outcome }: Attempt, retries: Retries): JudgedDelivery {
  const { endpoint_id, chain_id, sequence } = delivery
  const first = delivery.first_attempt_at ?? at
  const attempts = delivery.attempts + 1
  const isOver = at - first >= retries.giveUpAfterMs
  const state = isDelivered(outcome) ? DELIVERED : isOver ? DEAD : PENDING
  const asked = 'status' in outcome ? outcome.retryAfterSeconds : undefined
  return {
    endpoint_id,
    chain_id,
    sequence,
    state,
    attempts,
    first_attempt_at: first,
    attempted_at: at,
    next_at: state === PENDING ? at + outcome.durationMs + pauseAfter(attempts, retries, asked) : at,
    duration_ms: outcome.durationMs,
    status: 'status' in outcome ? outcome.status : null,
    answer: 'status' in outcome ? outcome.answer : null,
    failure: 'failure' in outcome ? outcome.failure : null,
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
  retries: Retries,
): Promise<void> {
  const ids = judged.map(({ work }) => work.endpoint.id)
  const next = await nextTimes(db, ids, Date.now())
  const rows = judged.map((one) => {
    const { endpoint } = one.work
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
  { work, since }: Judged,
  isWoken: boolean,
  next: number | undefined,
  now: number,
): { readonly at: number; readonly since: number } | undefined {
  // By this machine's clock, as it was written.
  const inMs = next === undefined ? undefined : next - Date.now()
  const waits = [since, inMs !== undefined && inMs <= 0 ? next : undefined, isWoken ? now : undefined]
  const oldest = Math.min(...waits.map((one) => one ?? Number.POSITIVE_INFINITY))
  // The receiver took the time of the turn. Only the time before it was a wait for a process.
  if (oldest < Number.POSITIVE_INFINITY) return { at: now, since: Math.max(oldest, now - work.waitedMs) }
  const later = [...(inMs === undefined ? [] : [inMs]), ...(work.rest.soon ? [SOON_MS] : [])]
  if (later.length === 0) return undefined
  const at = now + Math.min(...later)
  return { at, since: at }
}

/** When something of each endpoint can be sent: now, or when the first pause of a queue is over. */
async function nextTimes(
  db: Transaction<Tables>,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('webhook_deliveries as one')
    .select(['one.endpoint_id', (row) => row.fn.min<number>('one.next_at').as('next_at')])
    .where('one.endpoint_id', 'in', ids)
    .where('one.state', '=', sql.lit(PENDING))
    .where((row) =>
      row.or([
        row('one.next_at', '>', now),
        sql<boolean>`not exists (
          select 1 from webhook_deliveries as held
          where held.endpoint_id = one.endpoint_id and held.queue = one.queue
            and held.state = ${sql.lit(PENDING)} and held.next_at > ${now})`,
      ]),
    )
    .groupBy('one.endpoint_id')
    .execute()
  return new Map(rows.map((row) => [row.endpoint_id, row.next_at]))
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
  const paused = judged.find(({ result }) => result.paused !== undefined)?.work.endpoint
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
  const row = { ...columns, queue: `webhook ${webhookId}`, body: JSON.stringify(message) }
  await db
    .insertInto('webhook_deliveries')
    .values(there.map((other) => newDelivery(other, row, now)))
    .execute()
}
