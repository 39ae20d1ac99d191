import type { Lane } from '../../core/lanes.ts'
import type { LaneLimits } from '../../core/service.ts'

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

/** The variable that sets a limit: LIMIT_FREE_GLOBAL_RPM. */
export function limitVariable(lane: Lane, name: LimitName): string {
  return `LIMIT_${lane.toUpperCase()}_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

/**
 * The limits in force.
 * @param read the value of a variable, or the fallback where it is not set
 */
export function readLimits(read: (variable: string, fallback: number) => number): LimitsConfig {
  return {
    lanes: { free: readLane('free', read), developer: readLane('developer', read) },
    authFailuresRpm: read('LIMIT_AUTH_FAILURES_RPM', DEFAULT_AUTH_FAILURES_RPM),
  }
}

function readLane(lane: Lane, read: (variable: string, fallback: number) => number): LaneLimits {
  const one = (name: LimitName) => read(limitVariable(lane, name), DEFAULT_LIMITS[lane][name])
  return {
    globalRpm: one('globalRpm'),
    expensiveRpm: one('expensiveRpm'),
    subgraphDaily: one('subgraphDaily'),
    writeRpm: one('writeRpm'),
    writeDaily: one('writeDaily'),
    dailyTotalRequests: one('dailyTotalRequests'),
  }
}

/** The variables that set every lane's limits to a multiple of the defaults. */
export function multipliedLimits(factor: number): Record<string, string> {
  const multiplied: Record<string, string> = {}
  readLimits((variable, fallback) => {
    if (variable !== 'LIMIT_AUTH_FAILURES_RPM') multiplied[variable] = String(fallback * factor)
    return fallback
  })
  return multiplied
}
