/** What a caller may spend follows from the lane: by IP without credentials, or by API key. */
export type Lane = 'free' | 'developer'

/** The kinds of work that have limits of their own, beside what every metered request takes. */
export type Bucket = 'expensive' | 'write'

/**
 * How a request is metered: `metered` ones take from the minute's and the day's totals and from their
 * buckets; `counted` ones (`/`, `/status`) are counted in the day's total and never refused.
 */
export type Metering = 'metered' | 'counted'
