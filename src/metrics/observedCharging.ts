import type { ChargingPort, Identity, TakenUnits } from '../core/ports/access.ts'
import type { LimiterDecision, LimiterObserver } from '../core/ports/telemetry.ts'
import { currentTrace } from '../core/RequestTrace.ts'
import { RateLimitedError } from '../errors/access.ts'

/**
 * Reports what the limiter decides to the request's trace and to an observer.
 *
 * Of `admit` only refusals are reported: when it lets a request pass, `take` decides later.
 */
export function observedCharging(charging: ChargingPort, observer?: LimiterObserver): ChargingPort {
  return {
    admit(identity) {
      const begun = performance.now()
      try {
        charging.admit(identity)
      } catch (thrown) {
        tell(identity, begun, ...refusalOf(thrown))
        throw thrown
      }
    },
    async take(identity, cost, buckets) {
      const begun = performance.now()
      try {
        const charge = await charging.take(identity, cost, buckets)
        const names = charge.quotas.map(({ name }) => name)
        tell(identity, begun, 'admitted', names)
        currentTrace()?.charged(names)
        return observedCharge(identity, charge)
      } catch (thrown) {
        tell(identity, begun, ...refusalOf(thrown))
        throw thrown
      }
    },
  }

  function observedCharge(identity: Identity, charge: TakenUnits): TakenUnits {
    return {
      quotas: charge.quotas,
      async giveBack() {
        const begun = performance.now()
        await charge.giveBack()
        tell(identity, begun, 'given back', [])
        currentTrace()?.gaveBack()
      },
    }
  }

  function tell(
    { lane }: Identity,
    begun: number,
    outcome: LimiterDecision['outcome'],
    buckets: readonly string[],
  ): void {
    observer?.limiterDecided({ lane, outcome, buckets, durationMs: performance.now() - begun })
  }
}

function refusalOf(thrown: unknown): [LimiterDecision['outcome'], readonly string[]] {
  if (!(thrown instanceof RateLimitedError)) return ['failed', []]
  const { bucket } = thrown.facts
  return ['refused', typeof bucket === 'string' ? [bucket] : []]
}
