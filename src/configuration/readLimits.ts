import type { LimitsConfig } from '../access/limits/Limits.ts'
import { readAll } from './ConfigError.ts'
import type { Reader } from './reader.ts'
import { AUTH_FAILURES, CHALLENGES, LANES, NEW_KEYS } from './variables/limits.ts'

/** The limits in force. */
export function readLimits(read: Reader): LimitsConfig {
  const { free, developer, ...rest } = readAll({
    free: () => read.all(LANES.free),
    developer: () => read.all(LANES.developer),
    authFailuresRpm: () => read.one(AUTH_FAILURES),
    newKeysDaily: () => read.one(NEW_KEYS),
    challengesDaily: () => read.one(CHALLENGES),
  })
  return { lanes: { free, developer }, ...rest }
}

/** The variables that set every lane's limits, and that of challenges, to a multiple of the defaults. */
export function multipliedLimits(factor: number): Record<string, string> {
  const limits = Object.values(LANES).flatMap((lane) => Object.values(lane))
  return Object.fromEntries(
    [...limits, CHALLENGES].map(({ name, fallback }) => [name, String(fallback * factor)]),
  )
}
