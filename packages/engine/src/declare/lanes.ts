import * as z from 'zod'

/** Callers without a key are on the free lane, one for each IP. A key or a session is on the developer lane. */
export type Lane = 'free' | 'developer'

/** The limits of one lane, as the catalog states them. */
export const LaneLimits = z.object({
  globalRpm: z.int(),
  expensiveRpm: z.int(),
  /** The day's limit of the bucket `expensive`, whatever is read: the name says nothing about a subgraph. */
  subgraphDaily: z.int(),
  writeRpm: z.int(),
  writeDaily: z.int(),
  dailyTotalRequests: z.int(),
})

export type LaneLimits = Readonly<z.output<typeof LaneLimits>>

export type LimitName = keyof LaneLimits

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

/** Failed credentials of one address in a minute, where the environment says nothing else. */
export const DEFAULT_AUTH_FAILURES_RPM = 30

/** Kinds of work with limits of their own, beside the totals that every metered request takes from. */
export type Bucket = 'expensive' | 'write'

/**
 * How a request is metered: `metered` ones take from the minute's and the day's totals and from their
 * buckets; `counted` ones (`/`, `/status`) are counted in the day's total and never refused.
 */
export type Metering = 'metered' | 'counted'

/**
 * What a request costs. Over MCP each `message` takes from the minute's total, before anything is known of it, and the `call`
 * of a tool then takes the rest. `additional` is what only some requests cost, on top of what they have taken.
 */
export type Cost = Metering | 'message' | 'call' | 'additional'

/** The limits that each cost takes from, beside those of the operation's buckets. */
export const COSTS: Readonly<Record<Cost, readonly LimitName[]>> = {
  metered: ['globalRpm', 'dailyTotalRequests'],
  counted: ['dailyTotalRequests'],
  message: ['globalRpm'],
  call: ['dailyTotalRequests'],
  // Nothing from the totals: the buckets alone.
  additional: [],
}

/** The limits that make up each bucket. */
export const BUCKETS: Readonly<Record<Bucket, readonly LimitName[]>> = {
  expensive: ['expensiveRpm', 'subgraphDaily'],
  write: ['writeRpm', 'writeDaily'],
}

/** How a caller shows a key. Basic Auth takes the header Authorization for itself. */
export function keyHeader(asksBasicAuth: boolean): string {
  return asksBasicAuth ? 'X-API-Key: <API_KEY>' : 'Authorization: Bearer <API_KEY>'
}
