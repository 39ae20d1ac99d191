import {
  DEFAULT_AUTH_FAILURES_RPM,
  DEFAULT_LIMITS,
  type Lane,
  type LimitName,
} from '@remit/engine/declare/lanes'
import { DEFAULT_STREAM_LIMITS } from '../../calls/OpenStreams.ts'
import { type Variable, variablesOf } from '../defineVariable.ts'
import { integer } from '../values.ts'

const limitVariable = variablesOf('Limits')

/** As good as no limit, and far below where counters become inexact. */
const MOST_UNITS = 1_000_000_000

type LaneVariables = Readonly<Record<LimitName, Variable<number>>>

/** The limits of each lane. */
export const LANES: Readonly<Record<Lane, LaneVariables>> = {
  free: ofLane('free'),
  developer: ofLane('developer'),
}

export const AUTH_FAILURES = limitVariable({
  name: 'LIMIT_AUTH_FAILURES_RPM',
  description: 'How many requests with wrong credentials one address may send in a minute.',
  schema: integer(1, MOST_UNITS),
  default: String(DEFAULT_AUTH_FAILURES_RPM),
})

export const NEW_KEYS = limitVariable({
  name: 'LIMIT_NEW_KEYS_DAILY',
  description:
    'How many keys and webhooks, together, sessions may make from one address in a UTC day. It counts by address, because wallets cost nothing.',
  schema: integer(1, MOST_UNITS),
  default: '5',
})

export const CHALLENGES = limitVariable({
  name: 'LIMIT_CHALLENGES_DAILY',
  description:
    'How many challenges to new URLs of webhooks are sent in a UTC day for one address, and for one owner of keys or sessions, answered or not.',
  schema: integer(1, MOST_UNITS),
  default: '20',
})

/** Streams of events that one caller may have open on each process. */
export const STREAMS: Readonly<Record<Lane, Variable<number>>> = {
  free: streamsOf('free'),
  developer: streamsOf('developer'),
}

function streamsOf(lane: Lane): Variable<number> {
  return limitVariable({
    name: `LIMIT_${lane.toUpperCase()}_STREAMS`,
    description: `Streams of events that may be open at a time on each process (\`streams\`), ${whoIn(lane)}.`,
    schema: integer(1, 1_000_000),
    default: String(DEFAULT_STREAM_LIMITS[lane]),
  })
}

function whoIn(lane: Lane): string {
  return lane === 'free' ? 'without a key' : 'with a key'
}

function ofLane(lane: Lane): LaneVariables {
  const limit = (name: LimitName, what: string) =>
    limitVariable({
      name: nameOf(lane, name),
      description: `${what} (\`${name}\`), ${whoIn(lane)}.`,
      schema: integer(1, MOST_UNITS),
      default: String(DEFAULT_LIMITS[lane][name]),
    })
  return {
    globalRpm: limit('globalRpm', 'Metered requests in a minute'),
    expensiveRpm: limit(
      'expensiveRpm',
      'Searches, histories, payments, revenue, outlooks, details and profiles in a minute',
    ),
    subgraphDaily: limit(
      'subgraphDaily',
      'Searches, histories, payments, revenue, outlooks, details and profiles in a UTC day',
    ),
    writeRpm: limit('writeRpm', 'Prepares and readiness checks in a minute'),
    writeDaily: limit('writeDaily', 'Prepares and readiness checks in a UTC day'),
    dailyTotalRequests: limit('dailyTotalRequests', 'All requests and tool calls in a UTC day'),
  }
}

/** `LIMIT_FREE_GLOBAL_RPM` */
function nameOf(lane: Lane, name: LimitName): string {
  return `LIMIT_${lane.toUpperCase()}_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
}
