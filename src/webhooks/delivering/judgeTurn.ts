import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import { DEAD, DELIVERED, PENDING } from '../endpoints/DeliveryStore.ts'
import { isDelivered, type Outcome } from '../Outcome.ts'
import { pauseAfter, type Retries } from './retries.ts'
import type { WaitingDelivery, WorkingEndpoint } from './takeWork.ts'

/** One attempt and what came of it. */
export interface Attempt {
  readonly delivery: WaitingDelivery
  readonly at: number
  readonly outcome: Outcome
}

/** A turn of an endpoint: its attempts, in their order. */
export interface Turn {
  readonly endpoint: WorkingEndpoint
  readonly attempts: readonly Attempt[]
}

/** What became of a delivery, for who counts. */
export type Ending = 'delivered' | 'failed' | 'dead'

export interface TurnResult {
  readonly endings: readonly Ending[]
  readonly paused: 'gone' | 'failing' | undefined
}

const GONE = 410
const ENDINGS: Readonly<Record<number, Ending>> = {
  [PENDING]: 'failed',
  [DELIVERED]: 'delivered',
  [DEAD]: 'dead',
}

/** What a turn makes of an endpoint and of its deliveries. */
export interface Judged {
  readonly id: string
  readonly failures: number
  /** How long the endpoint had waited for its turn. */
  readonly waitedMs: number
  /** `undefined` where nothing was attempted. */
  readonly standing: { readonly failingSince: number | null; readonly deliveredAt: number | null } | undefined
  readonly deliveries: readonly JudgedDelivery[]
  readonly result: TurnResult
}

export type JudgedDelivery = Pick<
  WebhookDeliveriesTable,
  | 'endpoint_id'
  | 'chain_id'
  | 'sequence'
  | 'state'
  | 'attempts'
  | 'first_attempt_at'
  | 'attempted_at'
  | 'next_at'
  | 'duration_ms'
  | 'status'
  | 'answer'
  | 'failure'
>

export function judgeTurn({ endpoint, attempts }: Turn, retries: Retries, now: number): Judged {
  const counted = attempts.filter(({ outcome }) => !('failure' in outcome && outcome.failure === 'stopped'))
  let { failures, failing_since: failingSince } = endpoint
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
    id: endpoint.id,
    failures,
    waitedMs: endpoint.waitedMs,
    standing: counted.length === 0 ? undefined : { failingSince, deliveredAt },
    deliveries,
    result: {
      endings: deliveries.map(({ state }) => ENDINGS[state] ?? 'failed'),
      paused: isGone ? 'gone' : isFailing ? 'failing' : undefined,
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
