// What `Limits` asks of its counters, which count units by identity and bucket: those of this process (`MemoryCounters`), those in
// Redis (`RedisCounters`), or both (`GracefulCounters`).

/** One unit that a request takes from one bucket. */
export interface Demand {
  /** Names the bucket within its identity. */
  readonly bucket: string
  /** How many units the window has: at least 1. */
  readonly limit: number
  /** How long an admission counts, or `day`: until the UTC midnight of the wall clock that counts. */
  readonly windowMs: number | 'day'
}

/** How much of a bucket is used after a decision. */
export interface Usage {
  /** Units taken in the window or the day. It may be above the limit where limits were lowered. */
  readonly used: number
  /** Milliseconds until the next unit becomes free, or until the day ends; 0 if nothing is taken. */
  readonly freesInMs: number
}

/** The result of one attempt to take units. */
export interface Decision {
  readonly admitted: boolean
  /** When it was decided, by the clock that counts: microseconds of unix time, a whole number. */
  readonly atMicros: number
  /** One for each demand, in their order. */
  readonly usages: readonly Usage[]
  /** Gives back exactly this decision's units of these demands. Never throws: units that cannot be given back stay taken. */
  giveBack(demands: readonly Demand[]): Promise<void>
}

/** `all-or-nothing` refuses where a bucket is spent; `always` counts and never refuses; `never` only reads. */
export type Rule = 'all-or-nothing' | 'always' | 'never'

/** The counters of every identity: in this process, or shared with others. */
export interface Counters {
  /** Takes one unit of every demand, or none, in one atomic step. Throws CountersAwayError. */
  take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision>
  /**
   * The usage of a bucket that is known to be spent, without a request; `undefined` where it is not spent or not known.
   * Only reliable for buckets that units are never given back to.
   */
  spent(identity: string, demand: Demand): Usage | undefined
}

/** The shared counters cannot be reached in time. */
export class CountersAwayError extends Error {
  override readonly name = 'CountersAwayError'
  /** Fit for a log: a code, never an address or a password. */
  readonly reason: string

  constructor(reason: string) {
    super(`The shared counters are away: ${reason}`)
    this.reason = reason
  }
}
