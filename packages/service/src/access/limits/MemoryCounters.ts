import { LRUCache } from 'lru-cache'
import type { Counters, Decision, Demand, Rule, Usage } from './counters.ts'

const DAY_MICROS = 86_400_000_000

/** An identity takes 350 bytes after a read, and less than 1 KB where it uses up the free lane's minute: 100 MB for all. */
const MAX_IDENTITIES = 100_000

/** What one identity has taken, by the name of the bucket. */
interface Account {
  /** The UTC day that the counts are of: unix time / 86400. */
  day: number
  counts: Record<string, number>
  /** The times of a window's admissions in microseconds of unix time, oldest first. */
  readonly logs: Record<string, number[]>
}

interface MemoryCountersOptions {
  /** The wall clock, in milliseconds of unix time. Default: one that never goes back. */
  readonly now?: () => number
  readonly maxIdentities?: number
}

/**
 * Counters in this process. They are exact, because JavaScript runs a decision without interruption.
 *
 * The identities that have been idle for longest are forgotten where there are too many.
 */
export class MemoryCounters implements Counters {
  readonly #now: () => number
  readonly #accounts: LRUCache<string, Account>

  constructor({ now = forwardClock(), maxIdentities = MAX_IDENTITIES }: MemoryCountersOptions = {}) {
    this.#now = now
    this.#accounts = new LRUCache({ max: maxIdentities })
  }

  get size(): number {
    return this.#accounts.size
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const now = this.#micros()
    const account = this.#open(identity, now)
    const used = demands.map((demand) => usedOf(account, demand, now))
    const fits = () => demands.every(({ limit }, index) => (used[index] ?? 0) < limit)
    const admitted = rule === 'always' || (rule === 'all-or-nothing' && fits())
    return {
      admitted,
      atMicros: now,
      usages: demands.map((demand, index) => {
        const before = used[index] ?? 0
        if (admitted) add(account, demand, before, now)
        return usageOf(account, demand, admitted ? before + 1 : before, now)
      }),
      giveBack: async (given) => {
        for (const demand of given) takeBack(account, demand, now)
      },
    }
  }

  spent(identity: string, demand: Demand): Usage | undefined {
    const account = this.#accounts.peek(identity)
    if (account === undefined) return undefined
    const now = this.#micros()
    const used = usedOf(account, demand, now)
    return used < demand.limit ? undefined : usageOf(account, demand, used, now)
  }

  #micros(): number {
    return Math.floor(this.#now() * 1000)
  }

  #open(identity: string, now: number): Account {
    const held = this.#accounts.get(identity)
    if (held !== undefined) return held
    const account: Account = { day: dayOf(now), counts: {}, logs: {} }
    this.#accounts.set(identity, account)
    return account
  }
}

function dayOf(micros: number): number {
  return Math.floor(micros / DAY_MICROS)
}

/** The units that are used now. Drops those that have expired. */
function usedOf(account: Account, { bucket, windowMs }: Demand, now: number): number {
  if (windowMs === 'day') {
    // Never back to an earlier day: where the clock is set back over midnight, counts are not reset.
    if (dayOf(now) > account.day) {
      account.day = dayOf(now)
      account.counts = {}
    }
    return account.counts[bucket] ?? 0
  }
  const log = account.logs[bucket]
  if (log === undefined) return 0
  const since = now - windowMs * 1000
  let gone = 0
  while (gone < log.length && (log[gone] ?? 0) <= since) gone += 1
  if (gone > 0) log.splice(0, gone)
  return log.length
}

function usageOf(account: Account, { bucket, limit, windowMs }: Demand, used: number, now: number): Usage {
  if (windowMs === 'day') return { used, freesInMs: ((account.day + 1) * DAY_MICROS - now) / 1000 }
  // After limits were lowered, more than the oldest admission must expire first.
  const leaving = account.logs[bucket]?.[Math.max(0, used - limit)]
  return { used, freesInMs: leaving === undefined ? 0 : windowMs - (now - leaving) / 1000 }
}

function add(account: Account, { bucket, windowMs }: Demand, used: number, now: number): void {
  if (windowMs === 'day') account.counts[bucket] = used + 1
  else if (used === 0) account.logs[bucket] = [now]
  else account.logs[bucket]?.push(now)
}

function takeBack(account: Account, { bucket, windowMs }: Demand, takenAt: number): void {
  if (windowMs === 'day') {
    const count = account.counts[bucket] ?? 0
    if (account.day === dayOf(takenAt) && count > 0) account.counts[bucket] = count - 1
    return
  }
  const log = account.logs[bucket] ?? []
  const place = log.lastIndexOf(takenAt)
  if (place !== -1) log.splice(place, 1)
}

/**
 * The wall clock, except that it never goes back: where the machine's is set back, this one goes on at its pace. Otherwise a caller
 * who has used up a minute would wait as much longer as the clock was set back.
 */
function forwardClock(): () => number {
  let ahead = Number.NEGATIVE_INFINITY
  return () => {
    const steady = performance.now()
    ahead = Math.max(ahead, Date.now() - steady)
    return steady + ahead
  }
}
