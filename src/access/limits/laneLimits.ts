import type { Lane } from '../../core/lanes.ts'
import type { LaneLimits } from '../../core/ports/service.ts'

/** What each lane may spend where the environment says nothing else. */
export const DEFAULT_LIMITS: Readonly<Record<Lane, LaneLimits>> = {
  free: {
    globalRpm: 20,
    expensiveRpm: 3,
    subgraphDaily: 100,
    writeRpm: 2,
    writeDaily: 20,
    dailyTotalRequests: 500,
  },
  developer: {
    globalRpm: 80,
    expensiveRpm: 40,
    subgraphDaily: 3000,
    writeRpm: 5,
    writeDaily: 100,
    dailyTotalRequests: 5000,
  },
}

export type LimitName = keyof LaneLimits

/** Failed credentials of one address in a minute, where the environment says nothing else. */
export const DEFAULT_AUTH_FAILURES_RPM = 30

/** What every lane may spend, and how many credentials may fail. */
export interface LimitsConfig {
  readonly lanes: Readonly<Record<Lane, LaneLimits>>
  readonly authFailuresRpm: number
}
