import { type Account, AccountBook, dayOf } from './AccountBook.ts'
import type { Counters, Decision, Demand, Rule, Usage } from './counters.ts'

/**
 * The most identities of one generation; two generations are held. An identity takes 325 bytes after a read and 460
 * after a prepare: less than 100 MB for all of them.
 */
const MAX_IDENTITIES = 100_000

interface MemoryCountersOptions {
  /** The wall clock, in milliseconds of unix time. Default: one that never goes back. */
  readonly now?: () => number
  readonly maxIdentities?: number
}

/**
 * Counters in this process. They are exact, because JavaScript runs a decision without interruption.
 *
 * Two generations of accounts bound the memory. A new UTC day or a full generation makes the current generation the
 * previous one; an account moves to the current one when it is used. The previous generation is dropped a minute after
 * midnight, when its counts have expired, or when the current one is full. Only the second case forgets counts, and only
 * those of identities that were idle while 100,000 others came.
 */
export class MemoryCounters implements Counters {
  readonly #now: () => number
  readonly #maxIdentities: number
  readonly #book = new AccountBook()
  #current = new Map<string, Account>()
  #previous = new Map<string, Account>()
  /** When the previous generation is dropped. */
  #previousUntil = Number.POSITIVE_INFINITY
  #day = 0
  #longestWindow = 0

  constructor({ now = forwardClock(), maxIdentities = MAX_IDENTITIES }: MemoryCountersOptions = {}) {
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
    const book = this.#book
    let account = this.#account(identity, now)
    const fits = () => demands.every((demand) => book.used(account, demand, now) < demand.limit)
    const admitted = rule === 'always' || (rule === 'all-or-nothing' && fits())
    for (const demand of demands) {
      if (demand.windowMs !== 'day') this.#longestWindow = Math.max(this.#longestWindow, demand.windowMs)
      if (admitted) account = book.add(account, demand, now)
    }
    this.#current.set(identity, account)
    return {
      admitted,
      atMicros: now,
      usages: demands.map((demand) => book.usage(account, demand, now)),
      giveBack: async (given) => {
        // Looked up again, because the account may have been replaced by a longer array.
        const held = this.#find(identity)
        if (held !== undefined) for (const demand of given) book.takeBack(held, demand, now)
      },
    }
  }

  spent(identity: string, demand: Demand): Usage | undefined {
    const account = this.#find(identity)
    if (account === undefined) return undefined
    const usage = this.#book.usage(account, demand, this.#micros())
    return usage.used < demand.limit ? undefined : usage
  }

  #micros(): number {
    return Math.floor(this.#now() * 1000)
  }

  #find(identity: string): Account | undefined {
    return this.#current.get(identity) ?? this.#previous.get(identity)
  }

  #account(identity: string, now: number): Account {
    const held = this.#current.get(identity)
    if (held !== undefined) return held
    const account = this.#previous.get(identity) ?? this.#book.open(now)
    this.#previous.delete(identity)
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

/**
 * The wall clock, which goes on at its pace where it is set back. Whoever has used up a minute would wait as long again as it was
 * set back.
 */
function forwardClock(): () => number {
  let ahead = Number.NEGATIVE_INFINITY
  return () => {
    const steady = performance.now()
    ahead = Math.max(ahead, Date.now() - steady)
    return steady + ahead
  }
}
