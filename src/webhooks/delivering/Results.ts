import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { pauseEndpoint } from '../endpoints/EndpointStore.ts'
import { changeEndpoints, lockEndpoints } from '../endpoints/lockEndpoints.ts'
import { tellPaused } from '../routing/tellPaused.ts'
import { type Judged, type JudgedDelivery, judgeTurn, type Turn, type TurnResult } from './judgeTurn.ts'
import { FAILURES_TO_PAUSE, pauseAfter, type Retries } from './retries.ts'
import { queueIsFree } from './takeWork.ts'

/** Turns in one transaction. */
const MOST_TURNS = 200
/** Rows in one statement. */
const CHUNK = 100
const GATHER_MS = 10
const MOST_TRIES = 5
const TRY_AGAIN_MS = 100

/** Writes what came of turns: all of several turns in one transaction. */
export class Results {
  readonly #store: Store
  readonly #retries: Retries
  readonly #now: () => number
  #waiting: {
    readonly turn: Turn
    readonly written: (result: TurnResult) => void
    readonly failed: (error: unknown) => void
  }[] = []
  #writing = false

  constructor(store: Store, retries: Retries, now: () => number) {
    this.#store = store
    this.#retries = retries
    this.#now = now
  }

  /** Rejects with what the store throws. Then nothing of it is written, and it is sent once more. */
  write(turn: Turn): Promise<TurnResult> {
    return new Promise((written, failed) => {
      this.#waiting.push({ turn, written, failed })
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
      try {
        const results = await this.#writeWithRetries(batch.map(({ turn }) => turn))
        for (const [place, one] of batch.entries())
          one.written(results[place] ?? { endings: [], paused: undefined })
      } catch (error) {
        for (const one of batch) one.failed(error)
      }
    }
    this.#writing = false
  }

  /** What was sent shall be written down: a store that is busy is tried again. */
  async #writeWithRetries(turns: readonly Turn[]): Promise<readonly TurnResult[]> {
    for (let failures = 0; ; ) {
      try {
        return await this.#store.transaction((db) => this.#writeAll(db, turns))
      } catch (error) {
        failures += 1
        if (failures === MOST_TRIES) throw error
        await sleep(TRY_AGAIN_MS * failures)
      }
    }
  }

  /** As few statements as there can be, whatever the number of turns: each one costs more than what it writes. */
  async #writeAll(db: Transaction<Tables>, turns: readonly Turn[]): Promise<readonly TurnResult[]> {
    const now = this.#now()
    await lockEndpoints(db)
    const judged = turns.map((turn) => judgeTurn(turn, this.#retries, now))
    await writeDeliveries(
      db,
      judged.flatMap(({ deliveries }) => deliveries),
    )
    await writeEndpoints(db, judged, this.#retries, now)
    for (const { id, result } of judged) {
      if (result.paused === undefined) continue
      const version = await changeEndpoints(db)
      const paused = await pauseEndpoint(db, id, result.paused, now)
      if (paused !== undefined) await tellPaused(db, paused, { reason: result.paused, version, now })
    }
    return judged.map(({ result }) => result)
  }
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
} as const satisfies Record<keyof JudgedDelivery, ColumnType>

async function writeDeliveries(db: Transaction<Tables>, rows: readonly JudgedDelivery[]): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) {
    await sql`
      with ${doneRows(DELIVERY_TYPES, rows.slice(start, start + CHUNK))}
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
} as const

/** Says how endpoints stand, and when each is looked at next. */
async function writeEndpoints(
  db: Transaction<Tables>,
  judged: readonly Judged[],
  retries: Retries,
  now: number,
): Promise<void> {
  const next = await nextTimes(
    db,
    judged.map(({ id }) => id),
    now,
  )
  const rows = judged.map(({ id, failures, waitedMs, standing }) => {
    const at = next.get(id) ?? null
    const pause = pauseAfter(failures - FAILURES_TO_PAUSE + 1, retries)
    // The receiver took the time of the turn. Only the time before it was a wait for a process.
    const earliest = failures >= FAILURES_TO_PAUSE ? now + pause : now - waitedMs
    return {
      id,
      failures: standing === undefined ? null : failures,
      failing_since: standing?.failingSince ?? null,
      delivered_at: standing?.deliveredAt ?? null,
      due_at: at === null ? null : Math.max(at, earliest),
    }
  })
  await sql`
    with ${doneRows(ENDPOINT_TYPES, rows)}
    update webhook_endpoints set
      failures = coalesce(done.failures, webhook_endpoints.failures),
      failing_since = case when done.failures is null then webhook_endpoints.failing_since
        else done.failing_since end,
      delivered_at = coalesce(done.delivered_at, webhook_endpoints.delivered_at),
      due_at = case when webhook_endpoints.paused_at is null then done.due_at end
    from done where webhook_endpoints.id = done.id`.execute(db)
}

type ColumnType = 'text' | 'bigint'

/** Rows as a table `done`. The first one says the types: without them Postgres takes all for text. */
function doneRows<Name extends string>(
  types: Readonly<Record<Name, ColumnType>>,
  rows: readonly Readonly<Record<Name, string | number | null>>[],
): RawBuilder<unknown> {
  const columns: readonly (readonly [string, ColumnType])[] = Object.entries(types)
  const names = columns.map(([name]) => name)
  const values = rows.map((row, place) => {
    const of: Readonly<Record<string, string | number | null>> = row
    const cells = columns.map(([name, type]) => {
      const value = of[name] ?? null
      return place === 0 ? sql`cast(${value} as ${sql.raw(type)})` : value
    })
    return sql`(${sql.join(cells)})`
  })
  return sql`done (${sql.raw(names.join(', '))}) as (values ${sql.join(values)})`
}

/** When something of each endpoint can be sent: now, or when the first pause of a queue is over. */
async function nextTimes(
  db: Transaction<Tables>,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhook_deliveries as one')
    .select(['one.endpoint_id', (row) => row.fn.min<number>('one.next_at').as('next_at')])
    .where('one.endpoint_id', 'in', ids)
    .where('one.state', '=', sql.lit(PENDING))
    .where((row) => row.or([row('one.next_at', '>', now), queueIsFree(now)]))
    .groupBy('one.endpoint_id')
    .execute()
  return new Map(rows.map((row) => [row.endpoint_id, row.next_at]))
}
