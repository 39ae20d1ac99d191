import type { Counters, Decision, Demand, Rule, Standing } from './counters.ts'
import { SlidingLog } from './SlidingLog.ts'

/** Microseconds of a UTC day. */
const DAY = 86_400_000_000

/** Identities of one generation; twice as many are held at most, a few hundred bytes each. */
const MAX_IDENTITIES = 100_000

/** What one identity has taken. */
interface Account {
  readonly logs: Map<string, SlidingLog>
  /** The UTC day that `counts` are of. */
  day: number
  readonly counts: Map<string, number>
}

export interface MemoryCountersOptions {
  /** The wall clock, in milliseconds of unix time. */
  readonly now?: () => number
  readonly maxIdentities?: number
}

/**
 * Counters in this process, exact because nothing interrupts a decision.
 *
 * Memory is bounded without timers: accounts live in two generations. A new UTC day, or a full generation, makes
 * the current one the previous one, and an account that is used moves over. What is left behind is dropped: a
 * minute after midnight, when it counts nothing any more, or when another generation is full. Only the latter
 * forgets anything, and only of identities that were idle while 100,000 others came.
 */
export class MemoryCounters implements Counters {
  readonly #now: () => number
  readonly #maxIdentities: number
  #current = new Map<string, Account>()
  #previous = new Map<string, Account>()
  /** Until when the previous generation counts. */
  #previousUntil = Number.POSITIVE_INFINITY
  #day = 0
  #longestWindow = 0

  constructor({ now = Date.now, maxIdentities = MAX_IDENTITIES }: MemoryCountersOptions = {}) {
    this.#now = now
    this.#maxIdentities = maxIdentities
  }

  /** How many identities are held. */
  get size(): number {
    return this.#current.size + this.#previous.size
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const now = this.#micros()
    this.#turnOver(now)
    const account = this.#account(identity, now)
    const admitted =
      rule === 'always' || demands.every((demand) => usedOf(account, demand, now) < demand.limit)
    for (const demand of demands) {
      if (demand.windowMs !== 'day') this.#longestWindow = Math.max(this.#longestWindow, demand.windowMs)
      if (admitted) add(account, demand, now)
    }
    return {
      admitted,
      atMicros: now,
      standings: demands.map((demand) => standingOf(account, demand, now)),
      giveBack: async (given) => {
        for (const demand of given) takeBack(account, demand, now)
      },
    }
  }

  spent(identity: string, demand: Demand): Standing | undefined {
    const account = this.#current.get(identity) ?? this.#previous.get(identity)
    if (account === undefined) return undefined
    const standing = standingOf(account, demand, this.#micros())
    return standing.used < demand.limit ? undefined : standing
  }

  #micros(): number {
    return Math.floor(this.#now() * 1000)
  }

  #account(identity: string, now: number): Account {
    const held = this.#current.get(identity)
    if (held !== undefined) return held
    const account = this.#previous.get(identity) ?? {
      logs: new Map(),
      counts: new Map(),
      day: dayOf(now),
    }
    this.#previous.delete(identity)
    this.#current.set(identity, account)
    return account
  }

  #turnOver(now: number): void {
    const day = dayOf(now)
    if (day > this.#day) {
      this.#begin(now + this.#longestWindow * 1000)
      this.#day = day
    } else if (this.#current.size >= this.#maxIdentities) {
      this.#begin(Number.POSITIVE_INFINITY)
    } else if (now > this.#previousUntil) {
      this.#previous = new Map()
      this.#previousUntil = Number.POSITIVE_INFINITY
    }
  }

  #begin(previousUntil: number): void {
    this.#previous = this.#current
    this.#previousUntil = previousUntil
    this.#current = new Map()
  }
}

function dayOf(micros: number): number {
  return Math.floor(micros / DAY)
}

function usedOf(account: Account, { bucket, windowMs }: Demand, now: number): number {
  if (windowMs === 'day') {
    // Never back to an earlier day: a clock that is set back over midnight opens nothing anew.
    if (dayOf(now) > account.day) {
      account.day = dayOf(now)
      account.counts.clear()
    }
    return account.counts.get(bucket) ?? 0
  }
  const log = account.logs.get(bucket)
  log?.dropUntil(now - windowMs * 1000)
  return log?.size ?? 0
}

function standingOf(account: Account, demand: Demand, now: number): Standing {
  const used = usedOf(account, demand, now)
  const { bucket, limit, windowMs } = demand
  if (windowMs === 'day') return { used, freesInMs: ((account.day + 1) * DAY - now) / 1000 }
  const log = account.logs.get(bucket)
  if (log === undefined || used === 0) return { used, freesInMs: 0 }
  // Where limits were lowered, more than the oldest have to go.
  const leaving = log.at(Math.max(0, used - limit))
  return { used, freesInMs: windowMs - (now - leaving) / 1000 }
}

function add({ logs, counts }: Account, { bucket, windowMs }: Demand, now: number): void {
  if (windowMs === 'day') {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    return
  }
  const log = logs.get(bucket) ?? new SlidingLog()
  logs.set(bucket, log)
  log.add(now)
}

function takeBack(account: Account, { bucket, windowMs }: Demand, takenAt: number): void {
  if (windowMs !== 'day') {
    account.logs.get(bucket)?.remove(takenAt)
    return
  }
  const count = account.counts.get(bucket) ?? 0
  if (account.day === dayOf(takenAt) && count > 0) account.counts.set(bucket, count - 1)
}
