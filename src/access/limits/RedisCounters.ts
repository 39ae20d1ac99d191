import { LRUCache } from 'lru-cache'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'
import type { RedisLink } from './RedisLink.ts'
import { GIVE_BACK, TAKE } from './scripts.ts'

/** The most spent buckets that are remembered. */
const MAX_REMEMBERED = 10_000
/** The most requests that one run of the script decides: other callers wait for it. */
const MOST_TOGETHER = 256

/** How the script is told the rule. */
const RULES: Readonly<Record<Rule, string>> = { 'all-or-nothing': '0', always: '1', never: '2' }

/** How far two clocks may drift apart within a minute. */
const DRIFT_MS = 100

/** A spent bucket, and when it has a unit again, by this process's monotonic clock. */
interface Spent {
  readonly used: number
  readonly earliestMs: number
  readonly latestMs: number
}

interface Waiting {
  resolve(decision: Decision): void
  reject(error: unknown): void
}

/** Requests of one identity that want the same and wait together, in their order. */
interface Together {
  readonly demands: readonly Demand[]
  readonly rule: Rule
  readonly waiting: Waiting[]
}

/**
 * Counters in Redis, shared by all processes that use it.
 *
 * One script makes all decisions, one after the other, so nothing is admitted beyond a limit, however many processes ask.
 * Requests of one identity that arrive together, or while a run for it is on its way, are decided in one run of it. So the
 * more a caller asks, the less each of its requests costs, and a round trip is the most that one waits for its run.
 *
 * An identity is one key, and one more for each bucket that it takes hundreds from; its hash tag keeps them in one slot of a
 * cluster. A Redis without an append-only file loses its counters when it restarts. Then all units are available again, the
 * daily ones too.
 */
export class RedisCounters implements Counters {
  readonly #link: Pick<RedisLink, 'run'>
  readonly #args = new WeakMap<readonly Demand[], readonly [terms: string, ...buckets: string[]]>()
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })
  /** By identity, what is not sent yet. */
  readonly #waiting = new Map<string, Together[]>()
  /** Whose requests are about to be sent, or on their way. */
  readonly #deciding = new Set<string>()

  constructor(link: Pick<RedisLink, 'run'>) {
    this.#link = link
  }

  take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    if (!this.#deciding.has(identity)) {
      this.#deciding.add(identity)
      setImmediate(() => void this.#decideWaiting(identity))
    }
    return new Promise((resolve, reject) => {
      this.#togetherOf(identity, demands, rule).push({ resolve, reject })
    })
  }

  /**
   * Known from this process's own decisions. The memory ends a little before the bucket has a unit again, so it never
   * refuses what Redis would admit. The wait that it names ends a little after.
   */
  spent(identity: string, { bucket }: Demand): Usage | undefined {
    const name = nameOf(identity, bucket)
    const remembered = this.#spent.get(name)
    if (remembered === undefined) return undefined
    const nowMs = performance.now()
    if (nowMs < remembered.earliestMs) {
      return { used: remembered.used, freesInMs: remembered.latestMs - nowMs }
    }
    this.#spent.delete(name)
    return undefined
  }

  /** Forgets which buckets are spent, because a restarted Redis has forgotten it too. */
  forget(): void {
    this.#spent.clear()
  }

  #togetherOf(identity: string, demands: readonly Demand[], rule: Rule): Waiting[] {
    const ofIdentity = this.#waiting.get(identity) ?? []
    const known = ofIdentity.find(
      (each) => each.demands === demands && each.rule === rule && each.waiting.length < MOST_TOGETHER,
    )
    if (known !== undefined) return known.waiting
    const waiting: Waiting[] = []
    this.#waiting.set(identity, [...ofIdentity, { demands, rule, waiting }])
    return waiting
  }

  /** Decides what waits, and then what has come meanwhile, until nothing has. */
  async #decideWaiting(identity: string): Promise<void> {
    for (;;) {
      const all = this.#waiting.get(identity)
      if (all === undefined) break
      this.#waiting.delete(identity)
      await Promise.all(all.map((together) => this.#decide(identity, together)))
    }
    this.#deciding.delete(identity)
  }

  /** Never throws: what fails is told to those who wait. */
  async #decide(identity: string, together: Together): Promise<void> {
    try {
      await this.#run(identity, together)
    } catch (error) {
      for (const { reject } of together.waiting) reject(error)
    }
  }

  async #run(identity: string, { demands, rule, waiting }: Together): Promise<void> {
    const sentAtMs = performance.now()
    const [terms, ...buckets] = this.#argsOf(demands)
    const args = [RULES[rule], terms, waiting.length, ...buckets]
    const answer = await this.#link.run(TAKE, keyOf(identity), args)
    const [atMicros = 0, ...rows] = toNumbers(answer, 1 + waiting.length * (1 + 2 * demands.length))
    let at = 0
    let usages: readonly Usage[] = []
    for (const { resolve } of waiting) {
      const admitted = rows[at++] === 1
      usages = demands.map(() => ({ used: rows[at++] ?? 0, freesInMs: (rows[at++] ?? 0) / 1000 }))
      resolve(new RedisDecision(this, identity, admitted, atMicros, usages))
    }
    this.#remember(identity, demands, usages, sentAtMs)
  }

  /** Cached, because the same few lists of demands come again and again. */
  #argsOf(demands: readonly Demand[]): readonly [terms: string, ...buckets: string[]] {
    const known = this.#args.get(demands)
    if (known !== undefined) return known
    const terms = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const args = [JSON.stringify(terms), ...demands.map(({ bucket }) => bucket)] as const
    this.#args.set(demands, args)
    return args
  }

  /** Gives back the units that were taken at that time. Never throws: where Redis is away, they stay taken. */
  async giveBack(identity: string, demands: readonly Demand[], atMicros: number): Promise<void> {
    for (const { bucket } of demands) this.#spent.delete(nameOf(identity, bucket))
    const args = demands.flatMap(({ bucket, windowMs }) => [bucket, microsOf(windowMs)])
    try {
      await this.#link.run(GIVE_BACK, keyOf(identity), [atMicros, ...args])
    } catch (error) {
      if (!(error instanceof CountersAwayError)) throw error
    }
  }

  #remember(identity: string, demands: readonly Demand[], usages: readonly Usage[], sentAtMs: number): void {
    for (const [place, { bucket, limit, windowMs }] of demands.entries()) {
      const usage = usages[place]
      if (usage === undefined || windowMs === 'day' || usage.used < limit) continue
      const { used, freesInMs } = usage
      this.#spent.set(nameOf(identity, bucket), {
        used,
        earliestMs: sentAtMs + freesInMs - DRIFT_MS,
        latestMs: performance.now() + freesInMs + DRIFT_MS,
      })
    }
  }
}

/** A class, because an object with a closure costs every decision a few microseconds. */
class RedisDecision implements Decision {
  readonly #counters: RedisCounters
  readonly #identity: string
  readonly admitted: boolean
  readonly atMicros: number
  readonly usages: readonly Usage[]

  constructor(
    counters: RedisCounters,
    identity: string,
    admitted: boolean,
    atMicros: number,
    usages: readonly Usage[],
  ) {
    this.#counters = counters
    this.#identity = identity
    this.admitted = admitted
    this.atMicros = atMicros
    this.usages = usages
  }

  giveBack(demands: readonly Demand[]): Promise<void> {
    return this.#counters.giveBack(this.#identity, demands, this.atMicros)
  }
}

/** Reads the doubles of a script's answer. Throws CountersAwayError for anything else. */
function toNumbers(answer: unknown, count: number): number[] {
  if (!Buffer.isBuffer(answer) || answer.length !== 8 * count) {
    throw new CountersAwayError('an answer of another shape')
  }
  const numbers: number[] = []
  for (let at = 0; at < answer.length; at += 8) numbers.push(answer.readDoubleBE(at))
  return numbers
}

function keyOf(identity: string): string {
  return `remit:{${identity}}`
}

function nameOf(identity: string, bucket: string): string {
  return `${identity} ${bucket}`
}

function microsOf(windowMs: Demand['windowMs']): number {
  return windowMs === 'day' ? 0 : windowMs * 1000
}
