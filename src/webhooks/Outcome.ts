import type { DeliveryFailure } from '../core/ports/webhooks.ts'

/** Why no answer came. `stopped`: this process gave up sending, so it is not held against the endpoint. */
export type Failure = DeliveryFailure | 'stopped'

/** What came of one request to an endpoint. */
export type Outcome =
  | {
      readonly status: number
      /** The beginning of the answer, as text. */
      readonly answer: string
      /** What the header Retry-After asks for. */
      readonly retryAfterSeconds?: number
      readonly durationMs: number
    }
  | {
      readonly failure: Failure
      /** A code such as ECONNREFUSED. */
      readonly detail?: string
      readonly durationMs: number
    }

export function isDelivered(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300
}
