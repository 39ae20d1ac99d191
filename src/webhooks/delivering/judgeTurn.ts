import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { isDelivered, type Outcome } from '../Outcome.ts'
import type { LaneRow } from './lanes.ts'
import { pauseAfter, type Retries } from './retries.ts'
import { DEAD, DELIVERED, grouped, PENDING } from './rows.ts'
import type { WaitingDelivery, Work } from './takeWork.ts'

const GONE = 410

/** One attempt and what came of it. */
export interface Attempt {
  readonly delivery: WaitingDelivery
  readonly at: number
  readonly outcome: Outcome
}

/** A turn of an endpoint: its attempts, in their order. */
export interface Turn {
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

/** What a turn makes of an endpoint, of its deliveries and its lanes. */
export interface Judged {
  readonly work: Work
  readonly failures: number
  /** `undefined` where nothing was attempted. */
  readonly standing: { readonly failingSince: number | null; readonly deliveredAt: number | null } | undefined
  readonly deliveries: readonly JudgedDelivery[]
  readonly moved: readonly LaneRow[]
  readonly ended: readonly LaneRow[]
  readonly result: TurnResult
}

/** What says which delivery it is, and what attempts change of it. */
export const DELIVERY_TYPES = {
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

export type JudgedDelivery = Pick<WebhookDeliveriesTable, keyof typeof DELIVERY_TYPES>

export function judgeTurn({ work, attempts }: Turn, retries: Retries, now: number): Judged {
  const counted = attempts.filter(({ outcome }) => !('failure' in outcome && outcome.failure === 'stopped'))
  let { failures, failing_since: failingSince } = work.claim.endpoint
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
  return {
    work,
    failures,
    standing: counted.length === 0 ? undefined : { failingSince, deliveredAt },
    deliveries,
    ...lanesAfter(work, deliveries, now),
    result: {
      endings: deliveries.map(({ state }) => ENDINGS[state] ?? 'failed'),
      paused: isGone ? 'gone' : isFailing && counted.length > 0 ? 'failing' : undefined,
    },
  }
}

/** The lanes as they were to be, but for queues of which something is left: these go on just before it. */
function lanesAfter(
  { moved, ended, deliveries }: Work,
  judged: readonly JudgedDelivery[],
  now: number,
): Pick<Judged, 'moved' | 'ended'> {
  const outcomes = new Map(judged.map((one) => [`${one.chain_id} ${one.sequence}`, one]))
  const behind = new Map<string, LaneRow>()
  for (const [queue, rows] of grouped(deliveries, (one) => one.queue)) {
    const left = rows.find((one) => {
      const outcome = outcomes.get(`${one.chain_id} ${one.sequence}`)
      return outcome === undefined || outcome.state === PENDING
    })
    if (left === undefined) continue
    const { endpoint_id, chain_id, sequence } = left
    const next_at = outcomes.get(`${chain_id} ${sequence}`)?.next_at ?? now
    behind.set(queue, { endpoint_id, chain_id, queue, sequence: sequence - 1, until_sequence: null, next_at })
  }
  const others = (lane: LaneRow) => !behind.has(lane.queue)
  return { moved: [...moved.filter(others), ...behind.values()], ended: ended.filter(others) }
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
