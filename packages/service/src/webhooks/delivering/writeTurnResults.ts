import { sql, type Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import type { Tables, WebhookDeliveriesTable } from '../../store/tables.ts'
import { isDelivered, type Outcome } from '../sending/Sender.ts'
import { type LockedEndpoint, lockEndpoints, owns } from './claims.ts'
import { othersToTell, pauseEndpoint, tellPaused } from './pausing.ts'
import { FAILURES_TO_SLOW_DOWN, type Retries, waitAfter } from './retries.ts'
import { chunksOf, DEAD, DELIVERED, doneRows, NO_CHAIN, PENDING } from './rows.ts'
import type { WaitingDelivery, Work } from './takeWork.ts'

// `rows.ts` explains the words: endpoint, row, queue, cursor, woken, claim, turn. In order: what attempts mean (`judge`); then, in one
// transaction, the deliveries, what each endpoint has to do next, the end of its claim, and pauses. Where it fails, all is sent again.

/** The HTTP status by which a receiver says that it wants no more. */
const GONE = 410
/** How soon an endpoint is looked at again that has cursors, though this turn sent nothing and moved none: its events cannot be read now. */
const SOON_MS = 1_000

/** One attempt and what came of it. */
export interface DeliveryAttempt {
  readonly delivery: WaitingDelivery
  /** When it began, in unix milliseconds. */
  readonly at: number
  readonly outcome: Outcome
}

/** A turn of an endpoint that has ended: its attempts, in their order. */
export interface EndpointTurn extends Work {
  readonly attempts: readonly DeliveryAttempt[]
}

export interface TurnResult {
  /** What became of each attempted delivery, for metrics. `failed` is attempted again, `dead` is given up. */
  readonly endings: readonly ('delivered' | 'failed' | 'dead')[]
  /** Why the endpoint is to be paused: its receiver answered 410, or nothing but failures came for days. */
  readonly paused: 'gone' | 'failing' | undefined
}

/** What attempts change of a delivery, and what says which one it is. */
const DELIVERY_TYPES = {
  endpoint_id: 'text',
  chain_id: 'bigint',
  sequence: 'bigint',
  queue: 'text',
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

/** How an endpoint and its deliveries stand after a turn. Times are unix milliseconds. */
interface Judged {
  readonly turn: EndpointTurn
  /** Failures since the last delivery, and when the first of them was. */
  readonly failures: number
  readonly failingSince: number | null
  /** Of the turn's last delivery; `null` where it made none. */
  readonly deliveredAt: number | null
  readonly deliveries: readonly JudgedDelivery[]
  readonly result: TurnResult
}

/** Attempts that this process stopped count for nothing. */
function judge(turn: EndpointTurn, retries: Retries): Judged {
  const { attempts, claim } = turn
  const counted = attempts.filter(({ outcome }) => !('failure' in outcome && outcome.failure === 'stopped'))
  let { failures, failing_since: failingSince } = claim.endpoint
  let deliveredAt: number | null = null
  for (const { outcome, at } of counted) {
    const delivered = isDelivered(outcome)
    failures = delivered ? 0 : failures + 1
    failingSince = delivered ? null : (failingSince ?? at)
    if (delivered) deliveredAt = at
  }
  const deliveries = counted.map((attempt) => judgeAttempt(attempt, retries))
  const endings = deliveries.map(({ state }) =>
    state === DELIVERED ? 'delivered' : state === DEAD ? 'dead' : 'failed',
  )
  const isGone = counted.some(({ outcome }) => 'status' in outcome && outcome.status === GONE)
  const isFailing = failingSince !== null && Date.now() - failingSince >= retries.pauseEndpointAfterMs
  const paused = isGone ? 'gone' : isFailing && counted.length > 0 ? 'failing' : undefined
  return { turn, failures, failingSince, deliveredAt, deliveries, result: { endings, paused } }
}

function judgeAttempt({ delivery, at, outcome }: DeliveryAttempt, retries: Retries): JudgedDelivery {
  const { endpoint_id, chain_id, sequence, queue } = delivery
  const first = delivery.first_attempt_at ?? at
  const attempts = delivery.attempts + 1
  const isOver = at - first >= retries.giveUpAfterMs
  const state = isDelivered(outcome) ? DELIVERED : isOver ? DEAD : PENDING
  const asked = 'status' in outcome ? outcome.retryAfterSeconds : undefined
  return {
    endpoint_id,
    chain_id,
    sequence,
    queue,
    state,
    attempts,
    first_attempt_at: first,
    attempted_at: at,
    next_at: state === PENDING ? at + outcome.durationMs + waitAfter(attempts, retries, asked) : at,
    duration_ms: outcome.durationMs,
    status: 'status' in outcome ? outcome.status : null,
    answer: 'status' in outcome ? outcome.answer : null,
    failure: 'failure' in outcome ? outcome.failure : null,
  }
}

interface WriteOptions {
  readonly store: Store
  readonly retries: Retries
  /** The chains whose cursors this process reads. */
  readonly chainIds: readonly number[]
}

/**
 * Writes what came of turns, and ends their claims. Leaves out a turn whose endpoint another process has claimed meanwhile: that one
 * sends the same once more.
 */
export async function writeTurnResults(
  options: WriteOptions,
  turns: readonly EndpointTurn[],
): Promise<ReadonlyMap<EndpointTurn, TurnResult>> {
  const judged = turns.map((turn) => judge(turn, options.retries))
  const own = await options.store.transaction((db) => writeAll(db, options, judged))
  return new Map(own.map(({ turn, result }) => [turn, result]))
}

/**
 * Writes all turns in few statements, whatever their number: a statement costs more than what it writes.
 * @returns those whose claims had not been lost
 */
async function writeAll(
  db: Transaction<Tables>,
  { store: { kind }, chainIds, retries }: WriteOptions,
  all: readonly Judged[],
): Promise<readonly Judged[]> {
  // Who is told of a pause: found first, because all endpoints that are written must be locked together.
  const toTell = new Map<EndpointTurn, readonly string[]>()
  for (const { turn, result } of all) {
    if (result.paused !== undefined) toTell.set(turn, await othersToTell(db, turn.claim.endpoint))
  }
  const claimed = all.map(({ turn }) => turn.claim.endpoint.id)
  const held = await lockEndpoints(db, kind, [...claimed, ...[...toTell.values()].flat()])
  const own = all.filter(({ turn }) => owns(turn.claim.endpoint, held.get(turn.claim.endpoint.id)))
  if (own.length === 0) return []
  const deliveries = own.flatMap((one) =>
    isOutdated(one.turn, held) ? one.deliveries.map(triedAtOnce) : one.deliveries,
  )
  await writeDeliveries(db, deliveries)
  const ids = own.map(({ turn }) => turn.claim.endpoint.id)
  const next = await readNext(db, chainIds, ids)
  const endpoints = own.map((one) => {
    const { id } = one.turn.claim.endpoint
    // Attempts from before the owner's change do not count as its failures: the row keeps those that it has by now.
    const judged = isOutdated(one.turn, held) ? { ...one, failures: 0, deliveries: [] } : one
    return endpointAfter(judged, held.get(id), next.get(id), retries)
  })
  await writeEndpoints(db, endpoints)
  for (const { turn, result, failingSince } of own) {
    const { endpoint } = turn.claim
    const now = Date.now()
    // The owner has changed the endpoint meanwhile, perhaps its URL: what the old one answered pauses nothing.
    if (result.paused === undefined || isOutdated(turn, held)) continue
    if (!(await pauseEndpoint(db, endpoint.id, result.paused, now))) continue
    await tellPaused(db, kind, endpoint, toTell.get(turn) ?? [], { reason: result.paused, failingSince, now })
  }
  return own
}

/** A delivery that failed before its endpoint was changed is tried again at once. */
function triedAtOnce(delivery: JudgedDelivery): JudgedDelivery {
  return delivery.state === PENDING ? { ...delivery, next_at: delivery.attempted_at ?? 0 } : delivery
}

/** Whether the owner has changed the endpoint since the turn began. */
function isOutdated({ claim }: EndpointTurn, held: ReadonlyMap<string, LockedEndpoint>): boolean {
  return held.get(claim.endpoint.id)?.version !== claim.endpoint.version
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
        and webhook_deliveries.sequence = done.sequence and webhook_deliveries.queue = done.queue
        and webhook_deliveries.state = ${sql.lit(PENDING)}`.execute(db)
  }
  // Rows that wait behind a failed one in its queue wait as long, or they would overtake it.
  for (const chunk of chunksOf(rows.filter(({ state }) => state === PENDING))) {
    await sql`
      with ${doneRows({ endpoint_id: 'text', queue: 'text', next_at: 'bigint' }, chunk)}
      update webhook_deliveries set next_at = done.next_at from done
      where webhook_deliveries.endpoint_id = done.endpoint_id and webhook_deliveries.queue = done.queue
        and webhook_deliveries.state = ${sql.lit(PENDING)}`.execute(db)
  }
}

/** When an endpoint has something to do next. */
interface Next {
  readonly id: string
  /** When the first row may be sent, in unix milliseconds; `null` where none waits. */
  readonly next_at: number | null
  /** 1 where a cursor can give rows: no row of its queue waits. */
  readonly readable: number | null
}

/** What waits for these endpoints now. */
async function readNext(
  db: Transaction<Tables>,
  chainIds: readonly number[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Next>> {
  const { rows } = await sql<Next>`
    select id,
      (select min(next_at) from webhook_deliveries
        where endpoint_id = webhook_endpoints.id and state = ${sql.lit(PENDING)}) as next_at,
      (select 1 from webhook_lanes
        where endpoint_id = webhook_endpoints.id and chain_id in (${sql.join([NO_CHAIN, ...chainIds])}) and not exists (
          select 1 from webhook_deliveries as waiting
          where waiting.endpoint_id = webhook_lanes.endpoint_id and waiting.queue = webhook_lanes.queue
            and waiting.state = ${sql.lit(PENDING)})
        limit 1) as readable
    from webhook_endpoints where id in (${sql.join(ids)})`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
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

type EndpointAfter = Readonly<Record<keyof typeof ENDPOINT_TYPES, string | number | null>>

/** How an endpoint stands after a turn, and when it is looked at next. */
function endpointAfter(
  { turn, deliveries, failures, failingSince, deliveredAt }: Judged,
  held: LockedEndpoint | undefined,
  next: Next | undefined,
  retries: Retries,
): EndpointAfter {
  const { endpoint, waitedMs } = turn.claim
  const now = held?.now ?? Date.now()
  // In how many milliseconds a row may be sent, negative if it already may. `next_at` is by this machine's clock, `due_at` by the store's.
  const rowInMs = next?.next_at == null ? Number.POSITIVE_INFINITY : next.next_at - Date.now()
  const isIdle = turn.deliveries.length === 0 && !turn.hasMoved
  const readableInMs = next?.readable === 1 ? (isIdle ? SOON_MS : 0) : Number.POSITIVE_INFINITY
  const dueInMs = held?.woken === 1 ? 0 : Math.max(0, Math.min(rowInMs, readableInMs))
  // How long what is left has waited for a process: no longer than the endpoint had when it was claimed. The turn was the receiver's time.
  const leftWaitedMs = Math.min(waitedMs, Math.max(0, -rowInMs, Date.now() - turn.leftSince))
  // One that keeps failing gets a wait after each turn, whatever is due.
  const isSlowedDown = failures >= FAILURES_TO_SLOW_DOWN
  const earliest = isSlowedDown ? now + waitAfter(failures - FAILURES_TO_SLOW_DOWN + 1, retries) : 0
  // Nothing is left to do until the endpoint is woken.
  const isOver = dueInMs === Number.POSITIVE_INFINITY
  return {
    id: endpoint.id,
    failures: deliveries.length === 0 ? null : failures,
    failing_since: failingSince,
    delivered_at: deliveredAt,
    due_at: isOver ? null : Math.max(now + dueInMs, earliest),
    waits_since: isOver ? null : Math.max(dueInMs > 0 ? now + dueInMs : now - leftWaitedMs, earliest),
  }
}

/** Writes how the endpoints stand, which ends their claims. */
async function writeEndpoints(db: Transaction<Tables>, rows: readonly EndpointAfter[]): Promise<void> {
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
