import type { AuthFailuresPort } from '../core/ports/access.ts'
import type { LimiterObserver } from '../core/ports/telemetry.ts'

const BUCKET = 'authFailures'

/** Reports what the limiter of failed credentials takes and refuses to an observer. */
export function observedAuthFailures(
  failures: AuthFailuresPort,
  observer?: LimiterObserver,
): AuthFailuresPort {
  const tell = (outcome: 'admitted' | 'refused', begun: number) => {
    const durationMs = performance.now() - begun
    observer?.limiterDecided({ lane: 'free', outcome, buckets: [BUCKET], durationMs })
  }
  return {
    admitCredentials(address) {
      const begun = performance.now()
      try {
        failures.admitCredentials(address)
      } catch (refused) {
        tell('refused', begun)
        throw refused
      }
    },
    async takeAuthFailure(address) {
      const begun = performance.now()
      try {
        await failures.takeAuthFailure(address)
        tell('admitted', begun)
      } catch (refused) {
        tell('refused', begun)
        throw refused
      }
    },
  }
}
