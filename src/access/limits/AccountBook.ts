import type { Demand, Usage } from './counters.ts'
import { SlidingLog } from './SlidingLog.ts'

/** Microseconds of a UTC day. */
const DAY = 86_400_000_000

/**
 * What one identity has taken. There are hundreds of thousands of these, so each is one array, to save memory. It holds
 * the UTC day of its counts, and then one entry for each bucket: a number for a day's count, a log for a window's
 * admissions.
 */
export type Account = (number | SlidingLog | undefined)[]

/** Reads and writes accounts. All times are microseconds of unix time. */
export class AccountBook {
  /** The index of each bucket in every account. */
  readonly #places = new Map<string, number>()

  open(now: number): Account {
    return [dayOf(now)]
  }

  used(account: Account, demand: Demand, now: number): number {
    if (demand.windowMs === 'day') {
      turnTo(account, dayOf(now))
      return this.#count(account, demand)
    }
    const log = this.#log(account, demand)
    log?.dropUntil(now - demand.windowMs * 1000)
    return log?.size ?? 0
  }

  usage(account: Account, demand: Demand, now: number): Usage {
    const used = this.used(account, demand, now)
    const { limit, windowMs } = demand
    if (windowMs === 'day') return { used, freesInMs: ((heldDay(account) + 1) * DAY - now) / 1000 }
    const log = this.#log(account, demand)
    if (log === undefined || used === 0) return { used, freesInMs: 0 }
    // After limits were lowered, more than the oldest admission must expire first.
    const leaving = log.at(Math.max(0, used - limit))
    return { used, freesInMs: windowMs - (now - leaving) / 1000 }
  }

  /** @returns the account to use from now on: a longer array where the bucket is new to it */
  add(account: Account, demand: Demand, now: number): Account {
    const place = this.#placeOf(demand)
    // Made at its exact size: an array that grows by an assignment takes room for 17 more entries.
    const grown = place < account.length ? account : lengthened(account, this.#places.size + 1)
    if (demand.windowMs === 'day') {
      // What is counted without a look at what is used may be the first of its day.
      turnTo(grown, dayOf(now))
      grown[place] = this.#count(grown, demand) + 1
      return grown
    }
    const log = this.#log(grown, demand) ?? new SlidingLog()
    log.add(now)
    grown[place] = log
    return grown
  }

  takeBack(account: Account, demand: Demand, takenAt: number): void {
    if (demand.windowMs !== 'day') {
      this.#log(account, demand)?.remove(takenAt)
      return
    }
    const count = this.#count(account, demand)
    if (heldDay(account) === dayOf(takenAt) && count > 0) account[this.#placeOf(demand)] = count - 1
  }

  #placeOf({ bucket }: Demand): number {
    const known = this.#places.get(bucket)
    if (known !== undefined) return known
    // Index 0 is the day.
    const place = this.#places.size + 1
    this.#places.set(bucket, place)
    return place
  }

  #count(account: Account, demand: Demand): number {
    const taken = account[this.#placeOf(demand)]
    return typeof taken === 'number' ? taken : 0
  }

  #log(account: Account, demand: Demand): SlidingLog | undefined {
    const taken = account[this.#placeOf(demand)]
    return typeof taken === 'number' ? undefined : taken
  }
}

export function dayOf(micros: number): number {
  return Math.floor(micros / DAY)
}

function heldDay([day]: Account): number {
  return typeof day === 'number' ? day : 0
}

/** Never back to an earlier day: where the clock is set back over midnight, counts are not reset. */
function turnTo(account: Account, day: number): void {
  if (day <= heldDay(account)) return
  for (const [place, taken] of account.entries()) {
    if (typeof taken === 'number') account[place] = 0
  }
  account[0] = day
}

function lengthened(account: Account, length: number): Account {
  const grown: Account = new Array(length)
  for (const [place, taken] of account.entries()) grown[place] = taken
  return grown
}
