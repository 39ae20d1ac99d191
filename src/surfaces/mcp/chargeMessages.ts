import type { Caller, Pipeline } from '../../core/pipeline.ts'
import { RateLimitedError } from '../../errors/access.ts'
import { callIdOf } from './messages.ts'

/** As many messages as one batch may have, by the SDK's own limit. */
export const MAX_BATCH = 100

/**
 * Takes a unit of the minute's total for each message, before anything else is looked at in it. Throws RateLimitedError for
 * the whole request, unless all that cannot pay are calls of tools: these have results of their own.
 */
export async function chargeMessages(
  pipeline: Pick<Pipeline, 'chargeMessage'>,
  caller: Caller,
  messages: readonly unknown[],
): Promise<UnpaidCalls> {
  const charged = messages.slice(0, MAX_BATCH)
  // At once: shared counters decide them in one go.
  const outcomes = await Promise.allSettled(charged.map(() => pipeline.chargeMessage(caller)))
  const refusals = outcomes.filter((outcome) => outcome.status === 'rejected')
  const [first] = refusals
  if (first === undefined) return new UnpaidCalls(undefined, [])
  const ids = charged.slice(charged.length - refusals.length).map(callIdOf)
  const isLimited = refusals.every(({ reason }) => reason instanceof RateLimitedError)
  if (!isLimited || ids.includes(undefined)) throw first.reason
  return new UnpaidCalls(first.reason, ids)
}

/** The calls of tools in one request whose messages could not pay. */
export class UnpaidCalls {
  readonly #refusal: RateLimitedError | undefined
  readonly #ids: ReadonlySet<string | number | undefined>
  readonly #told = new Set<string | number>()

  /** @param ids of more than one call of the same id, all are refused */
  constructor(refusal: RateLimitedError | undefined, ids: readonly (string | number | undefined)[]) {
    this.#refusal = refusal
    this.#ids = new Set(ids)
  }

  /** Why the call of this id is refused; `undefined` where it is paid for. */
  tell(id: string | number): RateLimitedError | undefined {
    if (!this.#ids.has(id)) return undefined
    this.#told.add(id)
    return this.#refusal
  }

  /** Throws RateLimitedError where a call was answered as something else before its tool was looked for. */
  refuseUntold(): void {
    if (this.#refusal !== undefined && this.#told.size < this.#ids.size) throw this.#refusal
  }
}
